import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/formats/json.js';
import { ANY_CHAT, CHAT_REQUESTS } from '../../../src/formats/shared-capacity/chat-members.js';
import { LeftOut, withinShape } from '../../../src/formats/shared-capacity/left-out.js';
import { MESSAGES_REQUEST } from '../../../src/formats/shared-capacity/messages-members.js';
import { ownersAddress, ownersStorage } from '../../../src/formats/shared-capacity/owners-objects.js';
import { isPlain } from '../../../src/formats/shared-capacity/plain.js';
import { RequestReach } from '../../../src/formats/shared-capacity/reach.js';
import { RESPONSES_REQUEST } from '../../../src/formats/shared-capacity/responses-members.js';

const SHAPES = { ...CHAT_REQUESTS, messages: MESSAGES_REQUEST, responses: RESPONSES_REQUEST };
const NAMES = [
  'messages',
  'content',
  'type',
  'role',
  'text',
  'image_url',
  'url',
  'tools',
  'function',
  'parameters',
  'cache_control',
  'source',
  'thinking',
  '__proto__',
  'constructor',
  'labels',
  'qx',
];

/** Requests of known and unknown members, as deep as they may be. */
const { request } = fc.letrec<{ value: unknown; request: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'text',
      'image_url',
      'file',
      'function',
      'gs://b/o',
      'https://a.example/x.png',
      1,
      null,
      true,
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('request'),
  ),
  request: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie('value')), {
      selector: ([name]) => name,
      maxLength: 5,
    })
    .map((members) => Object.fromEntries(members)),
}));

describe.each(Object.entries(SHAPES))('the closed list of %s', (_, shape) => {
  it('is all that is left of any request, and is left as it is', () => {
    fc.assert(
      fc.property(request, (body) => {
        const leftOut = new LeftOut();
        const sent = withinShape(body, shape, new Set(), leftOut);
        const again = new LeftOut();
        expect(withinShape(sent, shape, new Set(), again)).toBe(sent);
        expect(again.names).toEqual([]);
        expect(JSON.stringify(sent)).not.toMatch(/"(?:qx|labels|constructor|__proto__)":(?!.*"parameters")/);
      }),
    );
  });

  it('has nothing to leave out of a plain request', () => {
    fc.assert(
      fc.property(request, (body) => {
        if (!isPlain(body, shape)) return;
        const leftOut = new LeftOut();
        expect(withinShape(body, shape, new Set(), leftOut)).toEqual(body);
        expect(leftOut.names).toEqual([]);
      }),
    );
  });

  it('names what is left out, each path once and at most a hundred', () => {
    const body = Object.fromEntries(Array.from({ length: 500 }, (__, index) => [`qx${index}`, index]));
    const leftOut = new LeftOut();
    expect(withinShape({ ...body, qy: null }, shape, new Set(), leftOut)).toEqual({});
    expect(leftOut.names).toHaveLength(100);
  });
});

it('a plain request reaches nothing', () => {
  fc.assert(
    fc.property(request, (body) => {
      if (!isPlain(body, ANY_CHAT)) return;
      const { owned, unpriced, models, locations } = new RequestReach(body).sentAs('chat');
      expect([owned, unpriced, models, locations]).toEqual([[], [], [], []]);
    }),
  );
});

it.each([
  ['gs://b/o', 'gs://'],
  ['GS://b/o', 'gs://'],
  ['\n gs://b/o', 'gs://'],
  ['g\ts://b/o', 'gs://'],
  ['s3://b/o', 's3://'],
  ['file:///etc/passwd', 'file://'],
  ['https://GenerativeLanguage.googleapis.com/v1beta/files/a', 'generativelanguage.googleapis.com'],
  ['https://u@storage.cloud.google.com/b/o', 'storage.cloud.google.com'],
  ['https://generativelanguage.googleapis.com./v1beta/files/a', 'generativelanguage.googleapis.com'],
  ['https://generativelanguage.googleapis.com/v1beta/%66iles/a', 'generativelanguage.googleapis.com'],
  ['https://generativelanguage.googleapis.com/%ff/%66iles/a', 'generativelanguage.googleapis.com'],
  ['https://storage.cloud.google.com./b/o', 'storage.cloud.google.com'],
  ['https://storage.googleapis.com/b/o?X-Goog-Signature=1', undefined],
  ['https://a.example/files/a', undefined],
  ['data:image/png;base64,AAAA', undefined],
  ['AAAA', undefined],
  ['', undefined],
])('the address %j belongs to somebody: %s', (address, name) => {
  expect(ownersAddress(address)).toBe(name);
});

it.each([
  ['arn:aws:bedrock:eu-central-1:1:prompt/p', 'arn:'],
  ['projects/p/locations/l/cachedContents/1', 'projects/'],
  ['//aiplatform.googleapis.com/projects/p/locations/l', 'projects/'],
  ['gs:// is an address', 'gs://'],
  ['I like projects/and more', undefined],
])('the text %j in an unknown place names a resource: %s', (text, name) => {
  expect(ownersStorage(text)).toBe(name);
});

const PNG = 'data:image/png;base64,AAAA';

/** Of requests that hosts of chats serve for the price of their tokens. */
const SERVED: readonly (readonly [what: string, more: object])[] = [
  ['a text as the Responses API has it', content({ type: 'input_text', text: 'Hi' })],
  ['an answer as it has it', content({ type: 'output_text', text: 'Hi', annotations: [] })],
  ['an image as it has it', content({ type: 'input_image', image_url: PNG, detail: 'auto' })],
  ['a recording', content({ type: 'audio_url', audio_url: { url: 'https://a.example/a.mp3' } })],
  ['a document by its URL', content({ type: 'document_url', document_url: 'https://a.example/a.pdf' })],
  ['a thought', content({ type: 'reasoning', text: 'Hm' })],
  ['a sealed thought', content({ type: 'redacted_thinking', data: 'x' })],
  [
    'an image in a block',
    content({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }),
  ],
  [
    'a document in a block',
    content({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } }),
  ],
  ['a call in a block', content({ type: 'tool_use', id: 't', name: 'f', input: { file_id: 'x' } })],
  ['its result', content({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'a' }] })],
  [
    'a function beside its type',
    {
      messages: [],
      tools: [{ type: 'function', name: 'f', description: 'd', parameters: { labels: {} }, strict: false }],
    },
  ],
  [
    'a function with its own switch',
    { messages: [], tools: [{ type: 'function', strict: true, function: { name: 'f' } }] },
  ],
  [
    'a schema beside its type',
    { messages: [], response_format: { type: 'json_object', schema: { type: 'object' } } },
  ],
];

function content(part: object): object {
  return { messages: [{ role: 'user', content: [part] }] };
}

it.each(SERVED)('%s is sent as it came', (_, body) => {
  const { owned, work, unpriced } = new RequestReach({ ...body }).sentAs('chat');
  expect([owned, work, unpriced]).toEqual([[], [], []]);
  expect(isPlain(body, CHAT_REQUESTS.openai)).toBe(true);
});

it('texts of a conversation name nothing, whatever they say', () => {
  const messages = [{ role: 'user', content: 'gs://b/o arn:aws:iam::1:role/x {"model": "m"}' }];
  const { owned, models, mentions } = new RequestReach({ messages }).sentAs('chat');
  expect([owned, models, mentions]).toEqual([[], [], []]);
});

it('of more models than are judged the last is one that nobody has', () => {
  const fallbacks = Array.from({ length: 300 }, (_, index) => ({ model: `m${index}` }));
  const { models } = new RequestReach({ messages: [], fallbacks }).sentAs('chat');
  expect(models).toHaveLength(101);
  expect(models.at(-1)?.name).toBe('');
});

describe('an earlier answer with items of the Responses API', () => {
  const answer = (...blocks: readonly object[]) => ({
    messages: [
      { role: 'assistant', content: 'Hi', provider_blocks: { format: 'openai-responses-v1', blocks } },
    ],
  });
  const sentOf = (body: object) =>
    withinShape(body as JsonObject, CHAT_REQUESTS.openai, new Set(), new LeftOut());

  it('comes back with those that say all by themselves', () => {
    const body = answer(
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
      {
        type: 'message',
        role: 'assistant',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Hi', annotations: [], logprobs: [] }],
      },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'c', input: 'x' },
    );
    expect(sentOf(body)).toEqual(body);
  });

  it("never comes back with what names objects of the credential's owner", () => {
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] };
    const sent = sentOf(
      answer(item, { type: 'item_reference', id: 'msg_2' }, { type: 'mcp_call', server_label: 's' }),
    );
    expect(JSON.stringify(sent)).not.toMatch(/item_reference|mcp_call/);
    expect(JSON.stringify(sent)).toContain('"text":"Hi"');
  });
});
