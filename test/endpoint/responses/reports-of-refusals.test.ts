/**
 * Servers of which nothing is known refuse what clients of this API send, as users of other gateways have reported: what they say
 * is learned from (`docs/providers/README.md#conversations-that-are-learned-from`).
 */
import { describe, expect, it } from 'vitest';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-openai.js';
import type { Row } from '../../support/rest.js';
import { responseIn, startResponses } from './responses.fixture.js';

const user = (content: string) => ({ type: 'message', role: 'user', content });
const call = (call_id = 'call_1') => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' });
const output = (call_id = 'call_1') => ({ type: 'function_call_output', call_id, output: 'found' });
const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object', properties: {} } });

const saying = (message: string): FakePlan => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' } },
});

type Message = Row & { readonly role: string; readonly tool_calls?: readonly Row[] };

const messagesIn = (sent: Row) => sent.messages as readonly Message[];

function isPaired(sent: Row): boolean {
  const messages = messagesIn(sent);
  return messages.every(({ role, tool_calls = [], tool_call_id }, at) => {
    const isAnswered = tool_calls.every(({ id }, n) => messages[at + 1 + n]?.tool_call_id === id);
    const before = messages.slice(0, at).findLast(({ role: one }) => one !== 'tool');
    const isKnown = role !== 'tool' || (before?.tool_calls ?? []).some(({ id }) => id === tool_call_id);
    return isAnswered && isKnown;
  });
}

const hasPlainNames = ({ tools }: Row) =>
  (tools as readonly Row[]).every((one) => /^[a-zA-Z][\w-]{0,63}$/.test(String((one.function as Row).name)));

const hasShortIds = (sent: Row) =>
  messagesIn(sent).every(({ tool_calls = [] }) => tool_calls.every(({ id }) => String(id).length <= 40));

const UNANSWERED = { tools: [tool('look')], input: [user('Hi'), call(), user('Never mind')] };
const UNCALLED = { tools: [tool('look')], input: [user('Hi'), output(), user('Go on')] };
const DOTTED = { tools: [tool('calendar.update')], input: 'Hi' };
const LONG_ID = `call_${'x'.repeat(60)}`;

interface Report {
  readonly words: string;
  readonly takes: (sent: Row) => boolean;
  readonly asked: object;
}

const REPORTS: Readonly<Record<string, Report>> = {
  // openai/codex#22129, openai/codex#7051
  'a call that was never answered, at DeepSeek': {
    words:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    takes: isPaired,
    asked: UNANSWERED,
  },
  // qwersyk/Newelle#425
  'an output whose call was cut away': {
    words: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    takes: isPaired,
    asked: UNCALLED,
  },
  // lidge-jun/opencodex#620
  'a call that was never answered, at Claude behind a gateway': {
    words:
      'messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: call_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    takes: isPaired,
    asked: UNANSWERED,
  },
  // openai/codex#8174
  'a tool with a dot in its name, at OpenAI behind a gateway': {
    words:
      "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    takes: hasPlainNames,
    asked: DOTTED,
  },
  // barryw/ImmichMCP#4
  'a tool with a dot in its name, at Claude behind a gateway': {
    words: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    takes: hasPlainNames,
    asked: DOTTED,
  },
  // MoonshotAI/kimi-cli#1773
  'a tool whose name begins with a digit, at Moonshot': {
    words:
      'function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes',
    takes: hasPlainNames,
    asked: { tools: [tool('2gis_search')], input: 'Hi' },
  },
  // agno-agi/agno#5382, microsoft/autogen#6377
  'the long id of a call, at OpenAI behind a gateway': {
    words:
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 65 instead.",
    takes: hasShortIds,
    asked: { tools: [tool('look')], input: [user('Hi'), call(LONG_ID), output(LONG_ID)] },
  },
};

describe('a server that refuses it is sent what it takes, and is remembered', () => {
  it.each(Object.entries(REPORTS))('%s', async (_, { words, takes, asked }) => {
    const { ask, host } = await startResponses();
    host.planKey(FAKE_API_KEY, saying(words), {});
    const sent = () => host.requests.map(({ text }) => takes(JSON.parse(text)));
    const answer = await ask({ model: 'test/chat', ...asked });
    expect([answer.status, answer.status === 200 || answer.text]).toEqual([200, true]);
    expect(sent()).toEqual([false, true]);
    expect((await ask({ model: 'test/chat', ...asked })).status).toBe(200);
    expect(sent().slice(2)).toEqual([true]);
  });

  it('the client has its tool back by the name that it knows', async () => {
    const refused = saying(REPORTS['a tool with a dot in its name, at OpenAI behind a gateway']?.words ?? '');
    const { ask, host } = await startResponses([]);
    host.planKey(FAKE_API_KEY, refused, {});
    const answer = await ask({ model: 'test/chat', ...DOTTED });
    expect(responseIn(answer).output).toMatchObject([{ type: 'function_call', name: 'calendar.update' }]);
  });

  // vllm-project/vllm#50256
  it('reasoning that another host has encrypted, at vLLM: what can be read of it stays', async () => {
    const thought = (id: string, summary: readonly object[]) => ({
      ...{ type: 'reasoning', id: `rs_${id}`, summary, encrypted_content: 'gAAAAABo' },
    });
    const readable = [{ type: 'summary_text', text: 'Look first.' }];
    const { ask, host } = await startResponses([{}], { endpoint: { formats: ['responses'] } });
    host.planKey(FAKE_API_KEY, saying('Encrypted content is not supported.'), {});
    const asked = {
      tools: [tool('look')],
      input: [
        user('Hi'),
        thought('1', readable),
        call(),
        output(),
        thought('2', []),
        call('call_2'),
        output('call_2'),
      ],
    };
    const answers = [
      await ask({ model: 'test/chat', ...asked }),
      await ask({ model: 'test/chat', ...asked }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const thoughts = host.requests.map(({ text }) =>
      (JSON.parse(text).input as readonly Row[]).filter(({ type }) => type === 'reasoning'),
    );
    expect(thoughts[0]).toHaveLength(2);
    for (const sent of thoughts.slice(1)) {
      expect(sent).toMatchObject([{ summary: readable }]);
      expect(sent[0]).not.toHaveProperty('encrypted_content');
    }
    expect(thoughts).toHaveLength(3);
  });
});
