import { describe, expect, it } from 'vitest';
import {
  hostWorkOf,
  hostWorkViolations,
  searchesBilled,
  searchesUnasked,
  turnsUnasked,
} from '../../src/formats/host-work.js';

/** Each as `path type uses turns`, with `$` where a use has a price and `+` where results grow the prompt. */
const workOf = (body: object) =>
  hostWorkOf({ ...body }).map(
    ({ path, type, maxUses, maxTurns, priceKey, growsContext }) =>
      `${path} ${type} ${maxUses} ${maxTurns}${priceKey === null ? '' : ' $'}${growsContext ? ' +' : ''}`,
  );
const tool = (members: object) => ({ tools: [members] });

describe('what a request asks its host to do by itself', () => {
  it.each([
    ['a plain chat', { model: 'm', max_tokens: 5, temperature: 1, metadata: { plugins: [1] } }],
    ['functions', tool({ type: 'function', function: { name: 'f' } })],
    [
      'tools of the client in Messages',
      {
        tools: [
          { name: 'f', input_schema: {} },
          { type: 'custom', name: 'g' },
        ],
      },
    ],
    [
      'tools that clients run',
      {
        tools: ['bash_20250124', 'text_editor_20250728', 'computer_20250124', 'memory_20250818'].map(
          (type) => ({ type }),
        ),
      },
    ],
    ['declarations of Google’s', tool({ functionDeclarations: [] })],
    [
      'members that ask for nothing',
      { plugins: [], web_search_options: null, enable_search: false, fallbacks: [] },
    ],
    [
      'edits that the host makes without a model',
      { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    ],
    [
      'the schema of an answer',
      { generation_config: { response_schema: { plugins: [1], tools: [{ type: 'x' }] } } },
    ],
  ])('is nothing: %s', (_, body) => {
    expect(workOf(body)).toEqual([]);
  });

  it.each([
    [tool({ type: 'web_search_20250305', max_uses: 20 }), ['tools[0] web_search_20250305 20 21 $ +']],
    [tool({ type: 'web_search_20260209' }), ['tools[0] web_search_20260209 null null $ +']],
    [tool({ type: 'web_search_20250305', max_uses: '20' }), ['tools[0] web_search_20250305 null null $ +']],
    [tool({ type: 'web_search_2025_08_26', max_uses: 1 }), ['tools[0] web_search_2025_08_26 null null $ +']],
    [tool({ type: 'web_search' }), ['tools[0] web_search null null $ +']],
    [tool({ type: 'web_fetch_20250910' }), ['tools[0] web_fetch_20250910 10 11 +']],
    [tool({ type: 'web_fetch_20250910', max_uses: 2 }), ['tools[0] web_fetch_20250910 2 3 +']],
    [tool({ type: 'code_execution_20250825' }), ['tools[0] code_execution_20250825 10 11 +']],
    [tool({ type: 'tool_search_tool_regex_20251119' }), ['tools[0] tool_search_tool_regex_20251119 10 11']],
    [tool({ type: 'something_new' }), ['tools[0] something_new null null +']],
    [tool({ type: 'image_generation' }), ['tools[0] image_generation null null +']],
    [tool({ googleSearch: {} }), ['tools[0] googleSearch 10 1 $ +']],
    [tool({ type: 'function', google_search: {} }), ['tools[0] google_search 10 1 $ +']],
    [tool({ type: 'google_maps', google_maps: {} }), ['tools[0] google_maps 10 1 +']],
    [tool({ enterpriseWebSearch: {} }), ['tools[0] enterpriseWebSearch 10 1 +']],
    [
      tool({ googleSearch: {}, codeExecution: {} }),
      ['tools[0] googleSearch 10 1 $ +', 'tools[0] codeExecution 5 6 +'],
    ],
    [{ web_search_options: {} }, ['web_search_options web_search_options 10 11 $ +']],
    [{ web_search_options: [] }, ['web_search_options web_search_options 10 11 $ +']],
    [{ search_parameters: { max_search_results: 3 } }, ['search_parameters search_parameters 3 1 $ +']],
    [{ plugins: [{ id: 'web' }] }, ['plugins plugins null null $ +']],
    [{ enable_search: true }, ['enable_search enable_search null null $ +']],
    [{ mcp_servers: [{}] }, ['mcp_servers mcp_servers 10 11 +']],
    [{ fallbacks: ['a', { model: 'b' }] }, ['fallbacks[0] fallbacks 1 1', 'fallbacks[1] fallbacks 1 1']],
    [
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      ['context_management.edits[0] compact_20260112 10 11'],
    ],
    [
      { additionalModelRequestFields: { tools: [{ type: 'web_search_20250305', max_uses: 2 }] } },
      ['additionalModelRequestFields.tools[0] web_search_20250305 2 3 $ +'],
    ],
    [{ extra_body: { enable_search: true } }, ['extra_body.enable_search enable_search null null $ +']],
  ])('is read of %j', (body, work) => {
    expect(workOf(body)).toEqual(work);
  });

  it.each(['20', 2.5, -1, true, 1e9, Number.NaN, {}, [3]])(
    'a maximum of uses that is no number from 0 to 1,000 is refused by name: %j',
    (max_uses) => {
      const violations = hostWorkViolations(tool({ type: 'web_fetch_20250910', max_uses }));
      expect(violations.map(({ field, rule }) => `${field} ${rule}`)).toEqual(['tools[0].max_uses range']);
    },
  );

  it.each([null, undefined, 0, 1_000])('a maximum of uses may be %j', (max_uses) => {
    expect(hostWorkViolations(tool({ type: 'web_fetch_20250910', max_uses }))).toEqual([]);
  });
});

it.each([
  ['sonar-pro', 10],
  ['perplexity/sonar', 10],
  ['sonar-deep-research', 100],
  ['o4-mini-deep-research-2025-06-26', 100],
  ['gpt-4o-search-preview', 10],
  ['gpt-5-search-api', 10],
  ['openai/gpt-4o:online', 10],
  ['gpt-4o', 0],
  ['claude-sonnet-4-6', 0],
])('%s searches up to %d times without being asked to', (model, searches) => {
  expect(searchesUnasked(model)).toBe(searches);
});

it.each([
  ['sonar-pro', 1, 1],
  ['perplexity/sonar', 1, 1],
  ['sonar-deep-research', 100, 7],
  ['openai/o3-deep-research', 100, 7],
  ['gpt-5-search-api', 10, 1],
  ['gpt-4o', 0, 0],
])('%s bills up to %d searches that nobody asked for, and takes %d turns more', (model, searches, turns) => {
  expect([searchesBilled(model), turnsUnasked(model)]).toEqual([searches, turns]);
});
