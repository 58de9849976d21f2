/** What users of other gateways have reported of streams of this API, native and as chats. */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { bodyOf, type Row, recordOf } from '../../support/rest.js';
import { eventsIn, responseIn, startResponses } from './responses.fixture.js';

const PARAMETERS = { type: 'object', properties: { a: { type: 'string' } } };
const LOOK = { type: 'function', name: 'look', parameters: PARAMETERS };
const CHAT_LOOK = { type: 'function', function: { name: 'look', parameters: PARAMETERS } };
const ARGUMENTS = '{"a":"b"}';

const USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const HEAD = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };
const CREATED = { type: 'response.created', response: { ...HEAD, status: 'in_progress', output: [] } };
const completed = (output?: readonly object[]) => ({
  type: 'response.completed',
  response: { ...HEAD, status: 'completed', output, usage: USAGE },
});

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
};
const CALL = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'look',
  arguments: ARGUMENTS,
  status: 'completed',
};
const THOUGHT = { id: 'rs_1', type: 'reasoning', summary: [] };

const added = (item: object, output_index: number) => ({
  type: 'response.output_item.added',
  output_index,
  item: { ...item, status: 'in_progress', ...('arguments' in item ? { arguments: '' } : { content: [] }) },
});
const done = (item: object, output_index: number) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const said = (output_index: number) => [
  added(MESSAGE, output_index),
  { type: 'response.output_text.delta', output_index, item_id: 'msg_1', content_index: 0, delta: 'Hello' },
  done(MESSAGE, output_index),
];
const called = (output_index: number) => [
  added(CALL, output_index),
  { type: 'response.function_call_arguments.delta', output_index, item_id: 'fc_1', delta: ARGUMENTS },
  done(CALL, output_index),
];

interface Message {
  readonly content: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly reasons: readonly unknown[];
}

/** What a client of chats puts together of a stream. */
function messageIn(text: string): Message {
  const chunks = text
    .split('\n\n')
    .filter((block) => block.startsWith('data: {'))
    .map((block): Row => JSON.parse(block.slice('data: '.length)));
  const choices = chunks.flatMap(({ choices }) => choices as readonly Row[]);
  const calls: { name: string; arguments: string }[] = [];
  for (const { delta } of choices)
    for (const { index, function: piece } of ((delta as Row).tool_calls ?? []) as readonly Row[]) {
      const { name = '', arguments: given = '' } = piece as { name?: string; arguments?: string };
      const known = calls[Number(index)] ?? { name: '', arguments: '' };
      calls[Number(index)] = { name: known.name + name, arguments: known.arguments + given };
    }
  const content = choices.map(({ delta }) => (delta as Row).content ?? '').join('');
  return { content, calls, reasons: choices.flatMap(({ finish_reason }) => finish_reason ?? []) };
}

describe('a chat at a host that speaks Responses alone', () => {
  async function chat(chunks: readonly object[]): Promise<Message> {
    const { use } = await startResponses([{ chunks }]);
    const messages = [{ role: 'user', content: 'Hi' }];
    const answer = await use('POST', '/chat/completions', {
      ...{ model: 'test/responses', stream: true, messages, tools: [CHAT_LOOK] },
    });
    return messageIn(answer.text);
  }

  const SAID = { content: 'Hello', calls: [], reasons: ['stop'] };
  const CALLED = { content: '', calls: [{ name: 'look', arguments: ARGUMENTS }], reasons: ['tool_calls'] };
  const other = (item: object) => ({ ...item, id: 'another' });

  // BerriAI/litellm#41109, Wei-Shaw/sub2api#5186
  it.each([
    ['with reasoning that was not streamed', said(1), [THOUGHT, MESSAGE]],
    ['with reasoning, and another number in the stream', said(0), [THOUGHT, MESSAGE]],
    ['with reasoning and another id', said(1), [THOUGHT, other(MESSAGE)]],
    ['under another id', said(0), [other(MESSAGE)]],
    ['not at all', said(0), []],
  ])('a text that the end of the response repeats %s is told once', async (_, events, output) => {
    expect(await chat([CREATED, ...events, completed(output)])).toEqual(SAID);
  });

  it.each([
    ['with reasoning that was not streamed', [THOUGHT, CALL]],
    ['with reasoning and another id', [THOUGHT, other(CALL)]],
    ['with another id of the call', [{ ...CALL, id: 'another', call_id: 'call_9' }]],
  ])('a call that the end of the response repeats %s is made once', async (_, output) => {
    expect(await chat([CREATED, ...called(1), completed(output)])).toEqual(CALLED);
  });

  it('items that the end of the response has in another order are told once', async () => {
    const answer = await chat([CREATED, ...said(1), ...called(0), completed([CALL, MESSAGE])]);
    expect(answer).toEqual({ ...CALLED, content: 'Hello' });
  });

  // BerriAI/litellm#27144
  it('arguments and texts that come with their ends alone are told', async () => {
    const ends = [
      added(MESSAGE, 0),
      {
        type: 'response.output_text.done',
        output_index: 0,
        item_id: 'msg_1',
        content_index: 0,
        text: 'Hello',
      },
      added(CALL, 1),
      {
        type: 'response.function_call_arguments.done',
        ...{ output_index: 1, item_id: 'fc_1', arguments: ARGUMENTS },
      },
    ];
    expect(await chat([CREATED, ...ends, completed([])])).toEqual({ ...CALLED, content: 'Hello' });
  });

  // anomalyco/opencode#46064, BerriAI/litellm#32718
  it.each([
    ['the end of each item', [done(MESSAGE, 0), done(CALL, 1), completed([])]],
    ['the end of the response', [completed([MESSAGE, CALL])]],
  ])('an answer that is only in %s is told', async (_, events) => {
    expect(await chat([CREATED, ...events])).toEqual({ ...CALLED, content: 'Hello' });
  });

  // BerriAI/litellm#37710
  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('an answer that %s ended before it said anything is an empty one', async (reason, finish_reason) => {
    const answer = {
      ...{ ...HEAD, status: 'incomplete', incomplete_details: { reason } },
      ...{ output: [THOUGHT], usage: USAGE },
    };
    const { use } = await startResponses([{ answer }]);
    const messages = [{ role: 'user', content: 'Hi' }];
    const chat = bodyOf(await use('POST', '/chat/completions', { model: 'test/responses', messages }));
    expect(chat.choices).toMatchObject([{ finish_reason, message: { content: '' } }]);
  });
});

// BerriAI/litellm#39069
it.each([
  ['max_output_tokens', 'length'],
  ['content_filter', 'content_filter'],
])('a response that is incomplete by its status alone, for %s, was cut', async (reason, finish_reason) => {
  const end = completed([MESSAGE]);
  const response = { ...end.response, status: 'incomplete', incomplete_details: { reason } };
  const { ask, manage, use } = await startResponses([
    { chunks: [CREATED, ...said(0), { ...end, response }] },
  ]);
  const asked = { model: 'test/responses', stream: true };
  const messages = [{ role: 'user', content: 'Hi' }];
  const chat = await use('POST', '/chat/completions', { ...asked, messages });
  expect(messageIn(chat.text)).toMatchObject({ content: 'Hello', reasons: [finish_reason] });
  const native = await ask({ ...asked, input: 'Hi' });
  expect(responseIn(native)).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
  for (const { headers } of [chat, native]) {
    const record = recordOf(await manage('GET', `/generation?id=${headers['x-generation-id']}`));
    expect(record.finish_reason).toBe(finish_reason);
  }
});

describe('a native stream', () => {
  const ask = async (chunks: readonly object[]) => {
    const { ask: send } = await startResponses([{ chunks }]);
    return send({ model: 'test/responses', stream: true, input: 'Hi', tools: [LOOK] });
  };

  // QuantumNous/new-api#4362, open-webui/open-webui#27800, straff2002/OpenGlasses#410
  it.each([
    ['an empty output', []],
    ['no output', undefined],
  ])('that ends with %s has in its end what it has streamed', async (_, output) => {
    const answer = await ask([CREATED, ...said(0), ...called(1), completed(output)]);
    expect(responseIn(answer)).toMatchObject({ status: 'completed', output: [MESSAGE, CALL] });
  });

  it('that ends with its own output has that', async () => {
    const shortened = { ...MESSAGE, content: [] };
    const answer = await ask([CREATED, ...said(0), completed([shortened])]);
    expect(responseIn(answer).output).toEqual([shortened]);
  });

  // ggml-org/llama.cpp#20607, lemonade-sdk/lemonade#3607, BerriAI/litellm#22102, Oaklight/llm-rosetta#56
  it.each<[lack: string, chunks: readonly object[]]>([
    ['places', [...said(0), ...called(1)].map(({ output_index, ...event }) => event)],
    ['beginnings', [...said(0), ...called(1)].filter(({ type }) => type !== 'response.output_item.added')],
    ['ends', [...said(0), ...called(1)].filter(({ type }) => type !== 'response.output_item.done')],
    ['beginnings and ends', [...said(0), ...called(1)].filter(({ type }) => !type.includes('output_item'))],
    ['anything but its end', []],
  ])('without %s has them for clients that keep an answer by its events', async (_, chunks) => {
    const answer = await ask([CREATED, ...chunks, completed([MESSAGE, CALL])]);
    const events = eventsIn(answer);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const ended = events.filter(({ type }) => type === 'response.output_item.done');
    expect(ended.map(({ output_index, item }) => [output_index, item])).toEqual([
      [0, MESSAGE],
      [1, CALL],
    ]);
    const begun = events.filter(({ type }) => type === 'response.output_item.added');
    expect(begun.map(({ output_index, item }) => [output_index, (item as Row).type])).toEqual([
      [0, 'message'],
      [1, 'function_call'],
    ]);
    const grown = events.filter(({ delta }) => delta !== undefined);
    expect(grown.map(({ output_index, item_id, delta }) => [output_index, item_id, delta])).toEqual([
      [0, 'msg_1', 'Hello'],
      [1, 'fc_1', ARGUMENTS],
    ]);
    expect(responseIn(answer)).toMatchObject({ status: 'completed', output: [MESSAGE, CALL] });
  });

  it('without places, beginnings and ends is put together by OpenAI’s SDK, each text as it comes', async () => {
    const pieces = [...said(0), ...called(1)]
      .map(({ output_index, ...event }) => event)
      .filter(({ type }) => !type.includes('output_item'));
    const chunks = [CREATED, ...pieces, completed([MESSAGE, CALL])];
    const gateway = await startResponses([{ chunks }]);
    const client = new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey, maxRetries: 0 });
    const stream = client.responses.stream({ model: 'test/responses', input: 'Hi' });
    let text = '';
    stream.on('response.output_text.delta', ({ snapshot }) => {
      text = snapshot;
    });
    const response = await stream.finalResponse();
    expect([text, response.output_text]).toEqual(['Hello', 'Hello']);
    expect(response.output).toMatchObject([MESSAGE, CALL]);
  });

  // james-6-23/codex2api#318
  it('that fails before it says anything is an error with its status', async () => {
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window.' };
    const failed = { type: 'response.failed', response: { ...HEAD, status: 'failed', output: [], error } };
    const answer = await ask([CREATED, failed]);
    expect(answer.status).toBe(400);
    expect(bodyOf(answer)).toMatchObject({ error: { code: 'context_length_exceeded' } });
  });

  // openai/codex#24973
  it('whose error stands beside the failed response has failed for it, before its content and after', async () => {
    const error = { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Slow down.' };
    const response = { ...HEAD, status: 'failed', output: [], error: null };
    const failed = { type: 'response.failed', response, error };
    const before = await ask([CREATED, failed]);
    expect([before.status, bodyOf(before)]).toMatchObject([429, { error: { code: error.code } }]);
    const after = await ask([CREATED, ...said(0), failed]);
    expect(responseIn(after)).toMatchObject({ status: 'failed', output: [MESSAGE], error });
  });
});
