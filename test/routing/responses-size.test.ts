import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../src/base/time-slices.js';
import { readResponses } from '../../src/formats/responses/reader.js';
import { withoutWork } from '../../src/formats/shared-capacity/work.js';
import { sizeWithinLimits } from '../../src/routing/estimate/cost-demand.js';
import { prefixesOf } from '../../src/routing/estimate/prompt-prefixes.js';
import { type RequestSize, requestSize } from '../../src/routing/estimate/request-size.js';
import { workAt } from '../../src/routing/estimate/work-at.js';
import type { Attempt } from '../../src/routing/types.js';

function sizeOf(body: object) {
  const whole = { model: 'm', ...body };
  const { chat } = readResponses(whole);
  return requestSize({ ...chat }, { native: { format: 'responses', body: whole } });
}

function user(...content: object[]) {
  return { input: [{ role: 'user', content }] };
}

/** With or without a price of searches. */
function endpoint(formats: readonly string[], prices: object = { prompt: 1n }) {
  const pricing = { prices, overrides: [], modes: [], discount: 0 };
  return { formats, pricing, supportedParameters: [], upstreamModelId: 'm' };
}

function asked(formats: readonly string[], key: object | null, prices?: object) {
  const provider = { slug: 'openai', adapter: 'openai' };
  return { endpoint: endpoint(formats, prices), provider, key } as unknown as Attempt;
}

describe('the size of a Responses request', () => {
  it('counts its input, its instructions and its tools', () => {
    const text = 'word '.repeat(200);
    const plain = sizeOf({ input: 'Hi' }).promptTokens;
    expect(sizeOf({ input: text }).promptTokens).toBeGreaterThan(plain + 200);
    expect(sizeOf({ input: 'Hi', instructions: text }).promptTokens).toBeGreaterThan(plain + 200);
    const tools = [{ type: 'function', name: 'a', description: text }];
    expect(sizeOf({ input: 'Hi', tools }).promptTokens).toBeGreaterThan(plain + 200);
    expect(sizeOf({ input: 'Hi', client_metadata: { text } }).promptTokens).toBe(plain);
  });

  it('knows its limit, its images and its documents', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' };
    expect(sizeOf({ input: 'Hi', max_output_tokens: 7 })).toMatchObject({ maxTokens: 7 });
    expect(sizeOf(user(image))).toMatchObject({ images: 1, hasFiles: false });
    expect(sizeOf(user({ type: 'input_file', file_data: 'data:application/pdf;base64,AA==' }))).toMatchObject(
      {
        hasFiles: true,
      },
    );
    expect(
      sizeOf({ input: [{ type: 'function_call_output', call_id: 'c', output: [image] }] }),
    ).toMatchObject({
      images: 1,
    });
  });
});

describe('what a provider has counted of a Responses request', () => {
  const hashes = (body: object) =>
    runToEnd(prefixesOf({ format: 'responses', body: { model: 'm', ...body } })).hashes;

  it('is known of its beginning, whoever sends it and whatever of the answer is asked for', () => {
    const [first] = hashes({ input: [{ role: 'user', content: 'Hi' }] });
    const again = {
      input: [
        { role: 'user', content: 'Hi' },
        { role: 'user', content: 'So?' },
      ],
    };
    expect(hashes({ ...again, client_metadata: { a: 'b' }, include: [] })[0]).toBe(first);
    expect(hashes({ ...again, instructions: 'Be kind.' })[0]).not.toBe(first);
    expect(hashes({ input: 'Hi' })).toHaveLength(1);
  });

  it('ends where its bytes do not show what it is', () => {
    const there = { type: 'input_image', image_url: 'https://e.example/a.png' };
    expect(hashes(user(there))).toEqual([]);
    expect(hashes({ input: [{ type: 'function_call_output', call_id: 'c', output: [there] }] })).toEqual([]);
    expect(
      hashes({ input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] }] }),
    ).toHaveLength(1);
  });
});

describe('the work that an endpoint is asked to do', () => {
  const tools = [{ type: 'web_search' }];
  const searches = { prompt: 1n, web_search: 1n };
  const types = (body: object, at: Attempt) =>
    workAt(sizeOf({ input: 'Hi', ...body }), at).map(({ type }) => type);

  it.each<[string, object, Attempt, string[]]>([
    ['with a key, all', { tools }, asked(['responses'], {}), ['web_search']],
    ['of which it is sent a chat, nothing', { tools }, asked(['chat'], {}), []],
    ['over shared capacity without a price, nothing', { tools }, asked(['responses'], null), []],
    ['with a price, but without a maximum, nothing', { tools }, asked(['responses'], null, searches), []],
    ['with both, all', { tools, max_tool_calls: 2 }, asked(['responses'], null, searches), ['web_search']],
    [
      'what is forced, so that the endpoint is judged by it',
      { tools, tool_choice: { type: 'web_search' } },
      asked(['responses'], null),
      ['web_search'],
    ],
  ])('is, %s', (_, body, at, expected) => {
    expect(types(body, at)).toEqual(expected);
  });
});

describe('a tool that nothing bounds, where a limit applies', () => {
  const tools = [{ type: 'web_search' }, { type: 'function', name: 'a' }];
  const within = (body: object, maxCostNanoUsd: bigint | null = null, isLimited = true) =>
    sizeWithinLimits(sizeOf({ input: 'Hi', tools, ...body }), { maxCostNanoUsd }, isLimited);

  it('is left out, so that the request needs no other bound', () => {
    expect(within({})).toMatchObject({ work: [], leftOutWork: [{ type: 'web_search' }] });
    expect(
      withoutWork({ tools, input: [{ type: 'additional_tools', tools }] }, within({}).leftOutWork ?? []),
    ).toEqual({
      tools: [tools[1]],
      input: [{ type: 'additional_tools', tools: [tools[1]] }],
    });
  });

  it.each<[string, RequestSize]>([
    ['the request bounds itself', within({ max_tool_calls: 2 })],
    ['the request has a maximum cost', within({}, 1n)],
    ['it is forced', within({ tool_choice: { type: 'web_search' } })],
    ['no limit applies', within({}, null, false)],
  ])('stays where %s', (_, { work, leftOutWork }) => {
    expect(work).toMatchObject([{ type: 'web_search' }]);
    expect(leftOutWork).toBeUndefined();
  });
});
