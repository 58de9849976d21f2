/** What users of other gateways have reported of chats that are streamed as responses. */
import { describe, expect, it } from 'vitest';
import { chunksOf } from '../../support/openai-sdk.js';
import type { Row } from '../../support/rest.js';
import { eventsIn, responseIn, startResponses } from './responses.fixture.js';

const LOOK = {
  type: 'function',
  name: 'look',
  parameters: { type: 'object', properties: { a: { type: 'string' } } },
};
const ARGUMENTS = '{"a":"b"}';

describe('a stream of chunks', () => {
  const ask = async (chunks: readonly object[]) => {
    const { ask: send } = await startResponses([{ chunks }]);
    return send({ model: 'test/chat', stream: true, input: 'Hi', tools: [LOOK] });
  };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta, finish_reason }],
  });
  const stop = chunk({}, 'stop');
  const piece = (given: string, more: object = {}) => ({
    tool_calls: [{ index: 0, function: { arguments: given }, ...more }],
  });
  const opening = {
    tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '' } }],
  };
  const text = (items: unknown) => JSON.stringify(items);

  // 1jehuang/jcode#1326
  it('that says stop after each of them is read to its end: no call is run with half of its arguments', async () => {
    const pieces = [opening, piece('{"a":'), piece('"b"}')].flatMap((delta) => [chunk(delta), stop]);
    const answer = await ask([chunk({ role: 'assistant', content: '' }), stop, ...pieces]);
    expect(responseIn(answer)).toMatchObject({
      status: 'completed',
      output: [{ type: 'function_call', arguments: ARGUMENTS, status: 'completed' }],
    });
  });

  // open-webui/open-webui#23929, open-webui/open-webui#16377
  it.each([
    ['with the first, which says nothing', [chunk({ role: 'assistant', content: '' }, 'stop')]],
    [
      'with each one of reasoning',
      ['I', ' think'].map((reasoning_content) => chunk({ reasoning_content }, 'stop')),
    ],
  ])('that says stop %s has the text after it', async (_, before) => {
    const answer = await ask([...before, chunk({ content: 'Hel' }), chunk({ content: 'lo' }), stop]);
    expect(responseIn(answer).status).toBe('completed');
    expect(text(responseIn(answer).output)).toContain('Hello');
  });

  it.each([true, false])(
    'that only thinks and stops is complete, without [DONE]: %s',
    async (isDoneMissing) => {
      const chunks = chunksOf([{ reasoning_content: 'Hm' }], 'stop');
      const { ask: send } = await startResponses([{ chunks, isDoneMissing }]);
      const answer = await send({ model: 'test/chat', stream: true, input: 'Hi' });
      expect(responseIn(answer)).toMatchObject({ status: 'completed' });
    },
  );

  // farion1231/cc-switch#4651
  it('whose later pieces have empty ids and names is one call with the first of them', async () => {
    const nameless = { id: '', function: { name: '', arguments: ARGUMENTS } };
    const answer = await ask(chunksOf([opening, piece('', nameless)], 'tool_calls'));
    expect(responseIn(answer).output).toMatchObject([{ name: 'look', call_id: 'c1', arguments: ARGUMENTS }]);
  });

  // BerriAI/litellm#37852
  it('of a call without words opens no message', async () => {
    const answer = await ask(
      chunksOf([{ role: 'assistant', content: '' }, opening, piece('{}')], 'tool_calls'),
    );
    const items = eventsIn(answer).flatMap(({ item }) => (item as Row | undefined)?.type ?? []);
    expect(new Set(items)).toEqual(new Set(['function_call']));
  });

  // vercel/ai#7417, Kilo-Org/kilocode#12541
  it('with chunks that have no choices is told with their usage', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
    const bill = { object: 'billing.summary', total_cost: 1 };
    const answer = await ask([
      chunk({ content: 'Hello' }),
      stop,
      { object: 'chat.completion.chunk', usage },
      bill,
    ]);
    expect(responseIn(answer)).toMatchObject({
      status: 'completed',
      usage: { input_tokens: 3, output_tokens: 2 },
    });
  });
});
