/** Hosts of Responses that send what no host should. */
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { describe, expect, it } from 'vitest';
import { ResponsesService } from '../../../gen/byway/v1/responses_pb.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { eventsIn, startResponses } from './responses.fixture.js';

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const PART = { type: 'output_text', text: '', annotations: [] };
const PLACE = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, status: 'in_progress', output: [] };

const CREATED = { type: 'response.created', response: RESPONSE };
const ITEM = { type: 'response.output_item.added', output_index: 0, item: MESSAGE };
const ADDED = { type: 'response.content_part.added', ...PLACE, part: PART };
const said = (delta: unknown) => ({ type: 'response.output_text.delta', ...PLACE, delta });
const COMPLETED = {
  type: 'response.completed',
  response: {
    ...RESPONSE,
    status: 'completed',
    usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  },
};

const STREAMED = { model: 'test/responses', input: 'Hello', stream: true };

async function streamed(...chunks: readonly unknown[]) {
  const { ask } = await startResponses([{ chunks }]);
  return eventsIn(await ask(STREAMED));
}

describe('a stream that breaks off', () => {
  it('ends with all that came, at whatever index its host counts parts', async () => {
    const far = { ...ADDED, content_index: 4_294_967_294, part: { ...PART, text: 'far' } };
    const events = await streamed(CREATED, ITEM, ADDED, said('near'), far);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { output: [{ status: 'incomplete', content: [{ text: 'near' }, { text: 'far' }] }] },
    });
  });

  it('has the annotations that came', async () => {
    const cited = (url: string) => ({
      ...{ type: 'response.output_text.annotation.added', ...PLACE },
      annotation: { type: 'url_citation', url },
    });
    const events = await streamed(CREATED, ITEM, ADDED, said('a'), cited('x:1'), cited('x:2'));
    expect(events.at(-1)).toMatchObject({
      response: { output: [{ content: [{ annotations: [{ url: 'x:1' }, { url: 'x:2' }] }] }] },
    });
  });

  it('is told of quickly, however many annotations came', async () => {
    const cited = { type: 'response.output_text.annotation.added', ...PLACE, annotation: { type: 'x' } };
    const begunAt = performance.now();
    const events = await streamed(CREATED, ITEM, ADDED, said('a'), ...Array(50_000).fill(cited));
    expect(events.at(-1)?.type).toBe('response.failed');
    expect(performance.now() - begunAt).toBeLessThan(10_000);
  });
});

it.each([
  ['an object without a text', { toString: 1, valueOf: 2 }],
  ['a number', 7],
  ['null', null],
])('a delta that is %s adds nothing, and ends nothing', async (_, delta) => {
  const events = await streamed(CREATED, ITEM, ADDED, said('one '), said(delta), said('two'));
  expect(events.map(({ type }) => type).slice(-2)).toEqual(['error', 'response.failed']);
  expect(events.at(-1)).toMatchObject({ response: { output: [{ content: [{ text: 'one two' }] }] } });
});

it('more than a stream may have is not kept: it is no answer', async () => {
  const chunks = Array(20).fill(said('x'.repeat(1024 * 1024)));
  const events = await streamed(CREATED, ITEM, ADDED, ...chunks, COMPLETED);
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { error: { message: 'The provider sent something that is not an answer' } },
  });
});

it('a chat that is longer than a response may be is no answer either', async () => {
  const chunk = { choices: [{ index: 0, delta: { content: 'x'.repeat(1024 * 1024) }, finish_reason: null }] };
  const { ask } = await startResponses([{ chunks: Array(20).fill(chunk) }]);
  const events = eventsIn(await ask({ ...STREAMED, model: 'test/chat' }));
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { error: { message: 'The provider sent more than an answer may have' } },
  });
});

it('ciphertext between agents is left out at a host that could not read it, however long it is', async () => {
  const content = [{ type: 'encrypted_content', encrypted_content: 'A'.repeat(12_000_000) }];
  const { ask, sent } = await startResponses();
  const input = [
    { type: 'agent_message', content },
    { role: 'user', content: 'Go on' },
  ];
  const answer = await ask({ model: 'test/chat', input });
  expect(answer.status).toBe(200);
  expect(sent()).toMatchObject({ messages: [{ role: 'user', content: 'Go on' }] });
});

describe('after an `error` the failed response may follow within a second', () => {
  const error = { type: 'error', code: 'server_error', message: 'Sorry', param: null };

  it('and a stream that stays silent ends', async () => {
    const plan: FakePlan = { chunks: [CREATED, ITEM, ADDED, said('a'), error], isLeftOpen: true };
    const { ask } = await startResponses([plan]);
    const begunAt = performance.now();
    const events = eventsIn(await ask(STREAMED));
    expect(performance.now() - begunAt).toBeLessThan(10_000);
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', message: 'Sorry' },
      { type: 'response.failed', response: { error: { message: 'Sorry' } } },
    ]);
  });

  it('and so ends an attempt before its first content', async () => {
    const { ask } = await startResponses([{ chunks: [CREATED, error], isLeftOpen: true }]);
    const answer = await ask(STREAMED);
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('Sorry')]);
  });
});

describe('over RPC what a host sends in another type than the contract has is among the members without a field', () => {
  const request = { model: 'test/responses', input: { form: { case: 'text', value: 'Hello' } } } as const;

  it('in an event', async () => {
    const odd = { ...said({ a: 1 }), output_index: 0.5, sequence_number: 'x' };
    const part = { ...PART, text: 'a' };
    const ends = [
      { type: 'response.output_text.done', ...PLACE, text: 'a' },
      { type: 'response.content_part.done', ...PLACE, part },
      { type: 'response.output_item.done', output_index: 0, item: { ...MESSAGE, content: [part] } },
    ];
    const chunks = [CREATED, ITEM, ADDED, said('a'), odd, ...ends, COMPLETED];
    const { rpc, headers } = await overRpc({ chunks });
    const events = [];
    for await (const event of rpc.streamResponse({ request }, { headers })) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(chunks.map(({ type }) => type));
    expect(events[4]?.extra).toMatchObject({
      ...{ delta: { a: 1 }, output_index: 0.5, sequence_number: 'x' },
      item_id: 'msg_1',
    });
  });

  it('in an answer in one piece, such as one that was made at half a second', async () => {
    const item = { ...MESSAGE, status: 'completed', content: [{ ...PART, text: 'Hi' }] };
    const answer = { ...RESPONSE, status: 'completed', created_at: 1.5, output: [item] };
    const { rpc, headers } = await overRpc({ answer });
    const response = await rpc.createResponse({ request }, { headers });
    expect(response).toMatchObject({ status: 'completed', output: [item], extra: { created_at: 1.5 } });
  });
});

async function overRpc(plan: FakePlan) {
  const { url, apiKey } = await startResponses([plan]);
  const transport = createConnectTransport({ baseUrl: url, httpVersion: '1.1' });
  const headers = { authorization: `Bearer ${apiKey}` };
  return { rpc: createClient(ResponsesService, transport), headers };
}
