/** What a host that speaks Responses is sent, with a key of the account and over shared capacity: nothing of it is lost. */
import { describe, expect, it } from 'vitest';
import { CAPACITIES } from '../../support/providers.js';
import { type Row, recordOf } from '../../support/rest.js';
import { overShared, startResponses } from './responses.fixture.js';

const USER = { type: 'message', role: 'user', content: 'Hi' };
const CALL = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: 'found' };
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.each(CAPACITIES)('over %s a host of Responses', (capacity) => {
  async function sentFor(input: readonly object[]): Promise<Row> {
    const gateway = await startResponses();
    if (capacity === 'shared capacity') await overShared(gateway);
    const { status, text, headers } = await gateway.ask({ model: 'test/responses', input });
    expect([status, text]).toEqual([200, expect.anything()]);
    const record = recordOf(await gateway.manage('GET', `/generation?id=${headers['x-generation-id']}`));
    expect(record.omitted).toEqual([]);
    return gateway.sent();
  }

  // BerriAI/litellm#13420 has such arguments.
  it.each([
    ['arguments', { ...CALL, arguments: { a: 1 } }, { ...CALL, arguments: '{"a":1}' }],
    [
      'the input of a custom tool',
      { ...CALL, type: 'custom_tool_call', input: { a: 1 } },
      { input: '{"a":1}' },
    ],
  ])('gets %s that are JSON as a text', async (_, call, text) => {
    const output = call.type === 'custom_tool_call' ? { ...OUTPUT, type: 'custom_tool_call_output' } : OUTPUT;
    const { input } = await sentFor([USER, call, output]);
    expect(input).toMatchObject([USER, text, output]);
  });

  it.each<[string, unknown]>([
    ['an object', { b: [2] }],
    ['an object with a type', { type: 'report', model: 'gpt-5', web_search: true }],
    ['a list of objects', [{ b: 2 }, { c: 3 }]],
    ['a list of texts', ['b', 'c']],
    ['a number', 7],
  ])('gets an output that is %s as a text', async (_, output) => {
    const { input } = await sentFor([USER, CALL, { ...OUTPUT, output }]);
    expect(input).toEqual([USER, CALL, { ...OUTPUT, output: JSON.stringify(output) }]);
  });

  it.each([
    ['a part of a chat', { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } }],
    ['the object of a chat', { type: 'input_image', image_url: { url: PIXEL, detail: 'low' } }],
    ['its own part', { type: 'input_image', image_url: PIXEL, detail: 'low' }],
  ])('sees an image that came as %s', async (_, part) => {
    const { input } = await sentFor([{ ...USER, content: [part] }]);
    const image = { type: 'input_image', image_url: PIXEL, detail: 'low' };
    expect(input).toEqual([{ ...USER, content: [image] }]);
  });
});
