import { describe, expect, it } from 'vitest';
import { LENIENT_CHAT } from '../../../src/catalog/chat-contract.js';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { fitChat } from '../../../src/providers/fit/chat/fit-chat.js';
import { chatUrl, requestBody } from '../../../src/providers/openai/chat/request.js';
import { rulesOf } from '../../../src/providers/openai/chat/rules.js';
import { demoEndpoint } from '../../support/chat.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-openai.js';
import { openAiProvider, startTable } from './adapter.fixture.js';

const BODY: ChatBody = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };

/** What is sent for this body, with the given reasoning. */
function sent(
  body: ChatBody,
  {
    host = 'host',
    isStreamed = false,
    reasoning = null as Reasoning | null,
    endpoint = demoEndpoint('m'),
    slug = 'demo',
  } = {},
) {
  const { quirks } = rulesOf(endpoint, { slug }, host);
  const { call } = fitChat({ body, reasoning, endpoint, provider: openAiProvider(null) }, LENIENT_CHAT);
  return requestBody(call, quirks, isStreamed);
}

describe('where chats go (base_url is the API root)', () => {
  it.each([
    [null, null, 'https://api.openai.com/v1/chat/completions'],
    ['https://api.deepseek.com', null, 'https://api.deepseek.com/chat/completions'],
    ['https://api.groq.com/openai/v1/', null, 'https://api.groq.com/openai/v1/chat/completions'],
    ['http://127.0.0.1:8000/v1//', null, 'http://127.0.0.1:8000/v1/chat/completions'],
    ['https://host/v1?api-version=2#top', null, 'https://host/v1/chat/completions?api-version=2'],
    ['https://user:secret@host/v1', null, 'https://host/v1/chat/completions'],
    ['https://host/a%2Fb/../v1', null, 'https://host/v1/chat/completions'],
    [
      'https://bedrock-runtime.{region}.amazonaws.com/openai/v1',
      'eu-central-1',
      'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions',
    ],
  ])('%s in %s: %s', (baseUrl, region, url) => {
    expect(chatUrl(openAiProvider(baseUrl), region).href).toBe(url);
  });

  it.each(['https://{region}.host/v1', 'https://{resource}.host/v1'])(
    'is an error while %s has no value for its placeholder',
    (baseUrl) => {
      expect(() => chatUrl(openAiProvider(baseUrl), null)).toThrow('placeholder');
    },
  );
});

describe('what is sent (unknown members pass through, the gateway’s own do not)', () => {
  it('leaves out what only the gateway reads', () => {
    const reasoning = { reasoning: { effort: 'low' }, reasoning_effort: 'low', include_reasoning: true };
    const body = { ...BODY, ...reasoning, provider: { only: ['a'] }, models: ['x'], stream: true };
    expect(sent(body)).toEqual(BODY);
  });

  it('passes everything else on as it is', () => {
    const more = { max_tokens: 3, top_k: 5, seed: 1, anything: { at: ['all'] } };
    expect(sent({ ...BODY, ...more })).toEqual({ ...BODY, ...more });
  });

  it.each([
    [null, undefined],
    [{ isEnabled: true, effort: 'high', maxTokens: null }, 'high'],
    [{ isEnabled: false, effort: null, maxTokens: null }, 'none'],
    [{ isEnabled: true, effort: null, maxTokens: null }, undefined],
    [{ isEnabled: true, effort: null, maxTokens: 500 }, 'medium'],
    [{ isEnabled: true, effort: null, maxTokens: 5000 }, 'xhigh'],
  ] as const)('says reasoning %j as reasoning_effort %s', (reasoning, effort) => {
    const body = { ...BODY, max_tokens: 1000 };
    const expected = effort === undefined ? body : { ...body, reasoning_effort: effort };
    expect(sent({ ...body, reasoning: { effort: 'low' }, reasoning_effort: 'low' }, { reasoning })).toEqual(
      expected,
    );
  });

  it.each([
    ['host', undefined, { include_usage: true }],
    ['host', { include_usage: false, include_obfuscation: true }, { include_usage: true }],
    ['host', { continuous_usage_stats: true }, { include_usage: true, continuous_usage_stats: true }],
    ['api.openai.com', undefined, { include_usage: true, include_obfuscation: false }],
    ['api.openai.com', { include_obfuscation: true }, { include_usage: true, include_obfuscation: false }],
    ['api.mistral.ai', { include_usage: true }, undefined],
  ])('a stream from %s with options %j is requested with %j', (host, stream_options, forced) => {
    const body = stream_options === undefined ? BODY : { ...BODY, stream_options };
    const expected = { ...BODY, stream: true, ...(forced && { stream_options: forced }) };
    expect(sent(body, { host, isStreamed: true })).toEqual(expected);
  });

  it('uses Mistral’s own names of members', () => {
    const body = { ...BODY, max_completion_tokens: 3, seed: 4 };
    expect(sent(body, { host: 'api.mistral.ai' })).toEqual({ ...BODY, max_tokens: 3, random_seed: 4 });
  });
});

describe('what a host does not know is dropped: the request is served without it', () => {
  const sampling = { top_k: 5, min_p: 0.1, top_a: 0.2, repetition_penalty: 1.1 };

  it.each([
    ['api.openai.com', {}],
    ['host', sampling],
  ])('sampling parameters that OpenAI does not have, at %s', (host, expected) => {
    expect(sent({ ...BODY, ...sampling, seed: 1 }, { host })).toEqual({ ...BODY, ...expected, seed: 1 });
  });

  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const thoughts = {
    reasoning: 'Hm',
    reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }],
    refusal: null,
    annotations: [],
    images: [],
  };
  const plain = { role: 'assistant', content: 'Yes' };
  const called = { role: 'assistant', content: null, tool_calls: [call] };

  it.each([
    ['host', plain, called],
    ['api.openai.com', plain, called],
    ['api.deepseek.com', plain, { ...called, reasoning_content: 'Hm' }],
    ['api.moonshot.ai', plain, { ...called, reasoning_content: 'Hm' }],
  ])(
    'the extra members of earlier answers, at %s, except for reasoning that tool calls need',
    (host, one, other) => {
      const messages = [...BODY.messages, { ...plain, ...thoughts }, { ...called, ...thoughts }];
      expect(sent({ ...BODY, messages }, { host }).messages).toEqual([...BODY.messages, one, other]);
    },
  );

  it.each([
    ['host', { cache_control: { type: 'ephemeral' } }],
    ['api.openai.com', {}],
    ['api.groq.com', {}],
    ['api.mistral.ai', {}],
  ])('cache_control, at %s', (host, expected) => {
    const withMarks = (mark: object) => ({
      ...BODY,
      ...mark,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hello', ...mark }], ...mark },
        { role: 'tool', tool_call_id: 'x', content: 'Sun', ...mark },
      ],
      tools: [{ type: 'function', function: { name: 'f', ...mark }, ...mark }],
    });
    expect(sent(withMarks({ cache_control: { type: 'ephemeral' } }), { host })).toEqual(withMarks(expected));
  });

  it('media in results of tools, which follow as the user’s', () => {
    const image = { type: 'image_url', image_url: { url: 'https://host/x.png' } };
    const sun = { type: 'text', text: 'Sun' };
    const result = (tool_call_id: string, ...content: object[]) => ({ role: 'tool', tool_call_id, content });
    const note = {
      type: 'text',
      text: '[What is no text in this result follows in the message of the user.]',
    };
    const from = (id: string) => ({ type: 'text', text: `[From the result of ${id}:]` });
    const results = [
      result('a', sun, image),
      { role: 'tool', tool_call_id: 'b', content: 'x' },
      result('c', image),
    ];
    const texts = [result('a', sun, note), results[1], result('c', note)];
    const moved = [from('a'), image, from('c'), image];
    const sentFor = (...messages: object[]) =>
      sent({ ...BODY, messages: messages as ChatBody['messages'] }).messages;
    expect(sentFor(...results)).toEqual([...texts, { role: 'user', content: moved }]);
    expect(sentFor(...results, called)).toEqual([...texts, { role: 'user', content: moved }, called]);
    expect(sentFor(...results, { role: 'user', content: 'And?', name: 'n' })).toEqual([
      ...texts,
      { role: 'user', name: 'n', content: [...moved, { type: 'text', text: 'And?' }] },
    ]);
    expect(sentFor(result('a', sun))).toEqual([result('a', sun)]);
  });

  it('but not a refusal', () => {
    const messages = [{ role: 'assistant', content: null, refusal: 'No' }];
    expect(sent({ ...BODY, messages }).messages).toEqual(messages);
  });
});

describe('the headers of a request', () => {
  it.each([
    ['in one piece', 'application/json'],
    ['streamed', 'text/event-stream'],
  ])('are these and no others, %s', async (mode, accept) => {
    const { fake, complete, stream } = await startTable();
    await (mode === 'streamed' ? stream() : complete());
    const [request] = fake.requests;
    const { host, connection, 'content-length': length, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      authorization: `Bearer ${FAKE_API_KEY}`,
      accept,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'byway',
    });
    expect(fake.baseUrl).toContain(String(host));
    expect(connection).toBe('keep-alive');
    expect(length).toBe(String(Buffer.byteLength(request?.text ?? '')));
  });
});
