/** Calls that a host of OpenAI's format signs, as Google does: https://ai.google.dev/gemini-api/docs/thought-signatures. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { answerIn } from '../../support/chat-answer.js';
import { startFakeHost } from '../../support/fakes/fake-openai/hosts.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import type { FakeProvider } from '../../support/fakes/fake-openai/server.js';
import { launchGateway } from '../../support/gateway.js';
import { bodyOf, type Call, caller, type Row, recordOf } from '../../support/rest.js';
import { eventsIn } from '../messages/messages.fixture.js';
import { streamOf, wholeOf } from './spelled-answers.js';

const UPSTREAM = 'gemini-3-pro-preview';
const MODEL = `google/${UPSTREAM}`;

/** The host's id has a character that clients of Messages are not given. */
const ID = 'function-call:1';

const signature = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } });

const call = (id: string, text: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: text },
  ...more,
});

/** Of two calls in one step, Google signs the first. */
const WHOLE = wholeOf(
  {
    role: 'assistant',
    content: null,
    tool_calls: [call(ID, '{"at":1}', signature('c2ln')), call('b', '{}')],
  },
  'tool_calls',
);

/** The signature is on each fragment that a host makes of the call, or on a later one alone. */
const STREAMS: readonly (readonly [string, FakePlan])[] = [
  [
    'in one fragment',
    streamOf([
      { tool_calls: [{ index: 0, ...call(ID, '{"at":1}', signature('c2ln')) }] },
      { tool_calls: [{ index: 1, ...call('b', '{}') }] },
    ]),
  ],
  [
    'in each of several',
    streamOf([
      { tool_calls: [{ index: 0, ...call(ID, '{"at"', signature('c2ln')) }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' }, ...signature('c2ln') }] },
      { tool_calls: [{ index: 1, ...call('b', '{}') }] },
    ]),
  ],
  [
    'in the last of several',
    streamOf([
      { tool_calls: [{ index: 0, ...call(ID, '{"at"') }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' }, ...signature('c2ln') }] },
      { tool_calls: [{ index: 1, ...call('b', '{}') }] },
    ]),
  ],
];

const DETAIL = { type: 'reasoning.encrypted', data: 'c2ln', id: ID, format: 'google-gemini-v1', index: 0 };

const ASKED = { role: 'user', content: 'Look twice.' };
const FUNCTION = { name: 'look', parameters: { type: 'object', properties: { at: { type: 'integer' } } } };

let fake: FakeProvider;
let use: Call;
let stopGateway = async () => {};
let stopFake = async () => {};

beforeAll(async () => {
  const slug = 'google-ai-studio';
  fake = await startFakeHost(slug, (end) => {
    stopFake = end;
  });
  const gateway = await launchGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [{ slug, name: 'Google', adapter: 'openai', base_url: fake.baseUrl }],
      models: [demoModel(MODEL, [{ provider: slug, upstream_model_id: UPSTREAM }])],
    },
  });
  stopGateway = gateway.stop;
  const manage = caller(gateway, gateway.managementKey);
  recordOf(await manage('POST', '/byok', { provider: slug, key: 'AIza-fake-0123456789abcdef' }));
  use = caller(gateway, gateway.apiKey);
});

afterAll(async () => {
  await stopGateway();
  await stopFake();
});

const chat = (plan: FakePlan, messages: readonly object[], more: object = {}) => {
  fake.plan(UPSTREAM, plan);
  const tools = [{ type: 'function', function: FUNCTION }];
  return use('POST', '/chat/completions', { model: MODEL, messages, tools, ...more });
};

const message = (plan: FakePlan, messages: readonly object[], more: object = {}) => {
  fake.plan(UPSTREAM, plan);
  const tools = [{ name: FUNCTION.name, input_schema: FUNCTION.parameters }];
  return use('POST', '/messages', { model: MODEL, max_tokens: 500, messages, tools, ...more });
};

/** What is on the calls that the host has got last. */
function signaturesSent(): unknown[] {
  const messages = (fake.requests.at(-1)?.body.messages ?? []) as readonly Row[];
  const calls = messages.flatMap(({ tool_calls }) => (tool_calls ?? []) as Row[]);
  return calls.map(({ extra_content }) => extra_content);
}

/** The blocks of a streamed message, put together as clients do. */
function blocksIn(text: string): Row[] {
  const blocks: Record<string, unknown>[] = [];
  for (const { type, content_block, delta } of eventsIn(text)) {
    if (type === 'content_block_start') blocks.push({ ...(content_block as Row), json: '' });
    const last = blocks.at(-1);
    const { partial_json } = (delta ?? {}) as Row;
    if (last !== undefined && typeof partial_json === 'string') last.json += partial_json;
  }
  return blocks.map(({ json, ...block }) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(String(json)) } : block,
  );
}

describe('the signature of a call', () => {
  it.each([['in one piece', WHOLE] as const, ...STREAMS])(
    '%s is told in reasoning_details once, and sent back by clients of chats that keep nothing else of it',
    async (_, plan) => {
      const stream = 'chunks' in plan;
      const { message: said } = answerIn(await chat(plan, [ASKED], { stream }), stream);
      expect(said.reasoning_details).toEqual([DETAIL]);
      const tool_calls = said.tool_calls?.map(({ id, function: called }) => ({
        id,
        type: 'function',
        function: called,
      }));
      const results = tool_calls?.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: '42' })) ?? [];
      await chat({}, [ASKED, { ...said, tool_calls }, ...results]);
      expect(signaturesSent()).toEqual([signature('c2ln').extra_content, undefined]);
    },
  );

  it.each([['in one piece', WHOLE] as const, ...STREAMS])(
    '%s is in a mark for clients of Messages, and sent back with it',
    async (_, plan) => {
      const stream = 'chunks' in plan;
      const answer = await message(plan, [ASKED], { stream });
      const content = stream ? blocksIn(answer.text) : (bodyOf(answer).content as Row[]);
      const mark = content.find(({ type }) => type === 'redacted_thinking');
      expect(mark?.data).toMatch(/^bw2\./);
      const calls = content.filter(({ type }) => type === 'tool_use');
      expect(calls.map(({ id }) => id)).toEqual(['function-call_1', 'b']);
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '42' }));
      await message({}, [ASKED, { role: 'assistant', content }, { role: 'user', content: results }]);
      expect(signaturesSent()).toEqual([signature('c2ln').extra_content, undefined]);
    },
  );

  it('is told once where the host tells it in both members', async () => {
    const own = { ...DETAIL, index: 3 };
    const plan = wholeOf({
      role: 'assistant',
      content: null,
      tool_calls: [call(ID, '{}', signature('c2ln'))],
      reasoning_details: [own],
    });
    const { message: said } = answerIn(await chat(plan, [ASKED]), false);
    expect(said.reasoning_details).toEqual([own]);
  });
});
