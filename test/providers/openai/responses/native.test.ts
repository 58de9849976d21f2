import { describe, expect, it } from 'vitest';
import type { NativeEvent } from '../../../../src/inference/ports/adapter.js';
import { UpstreamFailure } from '../../../../src/inference/ports/failure.js';
import { responseEvents, wholeResponse } from '../../../support/fakes/fake-openai/responses.js';
import { nativeIn, startResponses, toldIn } from './native.fixture.js';

const TOOL = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } };

describe('a Responses request to a host that speaks Responses', () => {
  it('goes as it came, but for the model and that nothing is stored', async () => {
    const { fake, complete, sent, adapted } = await startResponses();
    const body = {
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      client_metadata: { thread: '1' },
      metadata: { run: '1' },
      include: ['web_search_call.results'],
      truncation: 'auto',
      tools: [
        TOOL,
        { type: 'namespace', name: 'agents', description: 'Agents', tools: [TOOL] },
        { type: 'web_search' },
      ],
    };
    await complete({ body });
    expect(fake.requests[0]?.path).toBe('/v1/responses');
    expect(sent()).toEqual({ ...body, model: 'gpt-4.1', store: false });
    expect(adapted).toEqual([]);
  });

  it('is answered with the response as it came, and what it tells in terms of a chat', async () => {
    const { complete } = await startResponses({ words: ['Grüezi'], reasoning: ['Hm'] });
    const answer = await complete();
    const expected = wholeResponse(
      { model: 'gpt-4.1', input: 'Hi', store: false },
      { words: ['Grüezi'], reasoning: ['Hm'] },
    );
    expect(answer).toMatchObject({ format: 'responses', native: expected });
    expect(answer).toMatchObject({
      normalized: {
        choices: [{ message: { content: 'Grüezi', reasoning: 'Hm' }, finish_reason: 'stop' }],
        usage: { completionTokens: 2, reasoningTokens: 1 },
      },
    });
  });

  it('streams events as they came, and meters them', async () => {
    const plan = {
      words: ['Grüezi', ' mitenand'],
      calls: [{ id: 'call_1', name: 'weather', input: { a: 1 } }],
    };
    const { stream, sent } = await startResponses(plan);
    const { events, thrown } = await stream({ body: { tools: [TOOL] } });
    expect(thrown).toBeUndefined();
    expect(sent().stream).toBe(true);
    expect(nativeIn(events)).toEqual(JSON.parse(JSON.stringify(responseEvents({ ...sent() }, plan))));
    expect(toldIn(events).at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' });
    expect(toldIn(events).filter(({ type }) => type === 'usage')).toHaveLength(1);
  });

  it('whole answers to a streamed request are the events that the stream would have had', async () => {
    const plan = {
      words: ['Grüezi'],
      reasoning: ['Hm'],
      calls: [{ id: 'call_1', name: 'weather', input: {} }],
    };
    const streamed = await startResponses(plan);
    const whole = await startResponses({ ...plan, isWhole: true });
    const asked = { body: { tools: [TOOL], stream_options: { include_obfuscation: false } } };
    const [a, b] = [await streamed.stream(asked), await whole.stream(asked)];
    const bare = (events: typeof a.events) =>
      nativeIn(events).map(({ sequence_number: _, ...event }) => event);
    expect(b.thrown).toBeUndefined();
    expect(bare(b.events)).toEqual(bare(a.events));
    expect(toldIn(b.events)).toEqual(toldIn(a.events));
  });

  it('an answer that is cut short ends as length', async () => {
    const { stream, complete } = await startResponses({ words: ['a', 'b', 'c'] });
    const { events } = await stream({ body: { max_output_tokens: 2 } });
    expect(toldIn(events).at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    expect(await complete({ body: { max_output_tokens: 2 } })).toMatchObject({
      normalized: { choices: [{ finish_reason: 'length' }] },
    });
  });

  it('options of a stream go with streams alone', async () => {
    const { complete, stream, sent } = await startResponses();
    const body = { stream_options: { include_obfuscation: false } };
    await complete({ body });
    expect(sent().stream_options).toBeUndefined();
    await stream({ body });
    expect(sent().stream_options).toEqual({ include_obfuscation: false });
  });
});

describe('its prompt is counted', () => {
  it('by the host, without what the count does not have', async () => {
    const { count, fake, sent } = await startResponses();
    const body = { instructions: 'Brief', metadata: { a: '1' }, temperature: 1, tools: [TOOL] };
    expect(await count({ body })).toBe(4711);
    expect(fake.requests[0]?.path).toBe('/v1/responses/input_tokens');
    expect(sent()).toEqual({ model: 'gpt-4.1', input: 'Hi', instructions: 'Brief', tools: [TOOL] });
  });
});

const ERROR = { code: 'server_error', message: 'The server had an error' };
const BEGUN = { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', output: [] } };
const ITEM = {
  type: 'response.output_item.added',
  output_index: 0,
  item: { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
};
const DELTA = {
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  item_id: 'msg_1',
  delta: 'Hi',
};
const FAILED = {
  type: 'response.failed',
  response: {
    id: 'resp_1',
    status: 'failed',
    error: ERROR,
    output: [],
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  },
};

describe('a stream that reports an error', () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ['response.failed alone', [FAILED], ['response.failed']],
    ['a flat error alone', [{ type: 'error', ...ERROR, param: null }], ['error']],
    ['a nested error alone', [{ type: 'error', error: ERROR }], ['error']],
    [
      'an error and then response.failed',
      [{ type: 'error', ...ERROR }, FAILED],
      ['error', 'response.failed'],
    ],
    ['an error without a type', [{ error: ERROR }], []],
  ])('%s: what came passes, then it fails in the host’s words', async (_, errors, types) => {
    const { stream } = await startResponses({ chunks: [BEGUN, ITEM, DELTA, ...errors] });
    const { events, thrown } = await stream();
    expect(nativeIn(events).map(({ type }) => type)).toEqual([
      ...['response.created', 'response.output_item.added', 'response.output_text.delta'],
      ...types,
    ]);
    expect(thrown).toBeInstanceOf(UpstreamFailure);
    expect(thrown).toMatchObject({
      kind: 'upstream_error',
      message: 'The server had an error',
      providerCode: 'server_error',
    });
  });

  it('tells what the failed response counts', async () => {
    const { stream } = await startResponses({ chunks: [BEGUN, ITEM, DELTA, FAILED] });
    const { events } = await stream();
    const usage = { promptTokens: 3, completionTokens: 2, webSearches: 0 };
    expect(toldIn(events)).toContainEqual({ type: 'usage', usage, isLast: true });
  });

  it.each([
    ['rate_limit_exceeded', 'rate_limit'],
    ['insufficient_quota', 'quota'],
    ['context_length_exceeded', 'invalid_request'],
    ['invalid_prompt', 'invalid_request'],
    ['content_filter', 'content_filter'],
  ])('%s is a failure of the kind %s', async (code, kind) => {
    const failed = { ...FAILED, response: { ...FAILED.response, error: { code, message: 'No' } } };
    const { stream } = await startResponses({ chunks: [BEGUN, failed] });
    expect((await stream()).thrown).toMatchObject({ kind });
  });

  it('a whole answer that failed is a failure too', async () => {
    const { complete } = await startResponses({ answer: { ...FAILED.response, object: 'response' } });
    await expect(complete()).rejects.toMatchObject({ kind: 'upstream_error', providerCode: 'server_error' });
  });

  it('a stream that breaks off has no finish', async () => {
    const { stream } = await startResponses({ chunks: [BEGUN, ITEM, DELTA] });
    const { events } = await stream();
    expect(toldIn(events).some(({ type }) => type === 'finish')).toBe(false);
  });

  it('events that are not JSON are malformed, unknown ones pass', async () => {
    const unknown = { type: 'vendor:progress', n: 1 };
    const { stream } = await startResponses({ chunks: [BEGUN, unknown, '{"type"'] });
    const { events, thrown } = await stream();
    expect(nativeIn(events)).toEqual([BEGUN, unknown]);
    expect(thrown).toMatchObject({ error: 'malformed' });
  });

  it('integers beyond 2^53 pass as they came', async () => {
    const text =
      '{"type":"response.output_text.delta","output_index":0,"item_id":"m","delta":"x","n":12345678901234567890}';
    const { stream } = await startResponses({ chunks: [text] });
    const { events } = await stream();
    expect((events[0] as NativeEvent).event.text).toBe(text);
  });
});

describe('a refusal', () => {
  it('has the status and the body of the host', async () => {
    const body = {
      error: { message: 'Bad', type: 'invalid_request_error', param: 'input', code: 'invalid_value' },
    };
    const { complete } = await startResponses({ status: 400, body });
    await expect(complete()).rejects.toMatchObject({
      status: 400,
      body: JSON.stringify(body),
      providerParam: 'input',
    });
  });

  it('in another form is none of OpenAI’s', async () => {
    const { complete } = await startResponses({ status: 422, body: { detail: 'Bad' } });
    await expect(complete()).rejects.toMatchObject({ status: 422, body: null, message: 'Bad' });
  });
});
