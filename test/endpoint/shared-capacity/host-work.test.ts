import { describe, expect, it } from 'vitest';
import { PLATFORMS, type Platform } from '../../support/platforms.js';
import { bodyOf, type Row } from '../../support/rest.js';
import { ask, CLAUDES, expectRefused, onBothCapacities } from './shared.fixture.js';

const FUNCTION = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };

/** What makes a host act by itself, in chats and with no price: with the place that a refusal names. */
const CHATS: readonly (readonly [place: string, more: object])[] = [
  ['fallbacks', { fallbacks: [{ model: 'claude-opus-4-8' }] }],
  ['fallbacks', { fallbacks: 'default' }],
  ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'docs' }] }],
  ['plugins', { plugins: [{ id: 'web' }] }],
  ['search_parameters', { search_parameters: { mode: 'on' } }],
  ['enable_search', { enable_search: true }],
  ['compound_custom', { compound_custom: { tools: {} } }],
  ['web_search_options', { web_search_options: {} }],
  ['extra_body.plugins', { extra_body: { plugins: [{ id: 'web' }] } }],
  ['tools[0]', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
  ['tools[0]', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  ['tools[0]', { tools: [{ type: 'web_search' }] }],
  ['tools[0]', { tools: [{ type: 'code_interpreter' }] }],
  ['tools[0]', { tools: [{ type: 'google_search', google_search: {} }] }],
  ['tools[0]', { tools: [{ type: 'url_context', url_context: {} }] }],
  ['tools[0]', { tools: [{ type: 'codeExecution' }] }],
  ['tools[0]', { tools: [{ ...FUNCTION, code_execution: {} }] }],
  ['tools[0]', { tools: [{ ...FUNCTION, googleSearch: {} }] }],
  ['tools[1]', { tools: [FUNCTION, { type: 'image_generation' }] }],
  [
    'messages[0].content[0]',
    { messages: [{ role: 'user', content: [{ type: 'next_media', next_media: 'https://a.example' }] }] },
  ],
];

/** The same in the Messages format. */
const MESSAGES: readonly (readonly [place: string, more: object])[] = [
  ['fallbacks', { fallbacks: [{ model: 'claude-opus-4-8' }] }],
  ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'docs' }] }],
  ['context_management.edits[0]', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
  ['compaction', { compaction: { enabled: true } }],
  ['tools[0]', { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-8' }] }],
  ['tools[0]', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
  ['tools[0]', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
  ['tools[0]', { tools: [{ type: 'web_search_20260209', name: 'web_search' }] }],
  ['tools[0]', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'docs' }] }],
  ['tools[0]', { tools: [{ type: 'next_tool_20270101', name: 'next' }] }],
  ['messages[0].content[0]', { messages: [{ role: 'user', content: [{ type: 'next_block', data: 'x' }] }] }],
];

describe('at a price', () => {
  const { shared } = onBothCapacities();

  describe.each(PLATFORMS)('over shared capacity of $slug', (platform) => {
    it.each(CHATS)('a chat whose %s has none is refused: %j', async (place, more) => {
      expectRefused(await ask(shared(), platform, '/chat/completions', more), place);
    });
  });

  describe.each(CLAUDES)('over shared capacity of $slug', (platform) => {
    it.each(MESSAGES)('a request to Messages whose %s has none is refused: %j', async (place, more) => {
      expectRefused(await ask(shared(), platform, '/messages', more), place);
    });

    it('tools that the client runs are sent', async () => {
      const tools = [
        { type: 'bash_20250124', name: 'bash' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 1000 },
        { type: 'memory_20250818', name: 'memory' },
      ];
      const { answer, sent } = await ask(shared(), platform, '/messages', { tools });
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      expect(sent).toMatchObject({ tools });
    });
  });

  it('counting tokens is not asked of the provider either', async () => {
    const before = shared().fakes.anthropic.requests.length;
    const body = {
      model: 'anthropic/m',
      messages: [{ role: 'user', content: 'Hi' }],
      container: 'container_1',
    };
    expect((await shared().use('POST', '/messages/count_tokens', body)).status).toBe(400);
    expect(shared().fakes.anthropic.requests).toHaveLength(before);
  });

  it('explain excludes the same endpoints', async () => {
    for (const [place, more] of CHATS) {
      const explained = bodyOf(await shared().use('POST', '/routing/explain', { model: 'openai/m', ...more }))
        .data as { attempts: Row[]; excluded: Row[] };
      expect(explained.attempts).toEqual([]);
      expect(explained.excluded).toMatchObject([
        { reason: 'unsupported_parameter', detail: expect.stringContaining(place) },
      ]);
    }
  });
});

describe('where searches have a price', () => {
  const prices = { prompt: '0.000001', completion: '0.000002', web_search: '0.01' };
  const { shared } = onBothCapacities({ pricing: prices });

  it('they are sent, and other tools are not', async () => {
    const search = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }];
    const asked = await ask(shared(), platformOf('anthropic'), '/messages', { tools: search });
    expect([asked.answer.status, asked.answer.text]).toEqual([200, expect.anything()]);
    expect(asked.sent).toMatchObject({ tools: search });
    const google = {
      tools: [{ type: 'google_search', google_search: { excludeDomains: ['a.example'], qx: 1 } }],
    };
    const grounded = await ask(shared(), platformOf('vertex-gemini'), '/chat/completions', google);
    expect(grounded.sent?.tools).toEqual([{ googleSearch: { excludeDomains: ['a.example'] } }]);
    const { sent } = await ask(shared(), platformOf('openai'), '/chat/completions', {
      web_search_options: {},
    });
    expect(sent).toMatchObject({ web_search_options: {} });
    const both = { tools: [...search, { type: 'code_execution_20250825', name: 'code_execution' }] };
    expectRefused(await ask(shared(), platformOf('anthropic'), '/messages', both), 'tools[1]');
  });

  it.each(['google_maps', 'enterprise_web_search', 'googleMaps'])(
    '%s is not sent: it costs other than a search',
    async (type) => {
      const tools = [{ type, [type]: {} }];
      const asked = await ask(shared(), platformOf('vertex-gemini'), '/chat/completions', { tools });
      expectRefused(asked, 'tools[0]');
    },
  );
});

describe('what the operator admits by `supported_parameters`', () => {
  const { shared } = onBothCapacities({
    supported_parameters: [
      'max_tokens',
      'tools',
      'speed',
      'store',
      'container',
      'gs://',
      'code_execution_20250825',
      'files-api-2025-04-14',
      'mcp_servers',
      'mcp-client-2025-11-20',
    ],
  });

  it('members, tools, objects and beta features are sent, and no others', async () => {
    const more = {
      speed: 'fast',
      container: 'container_1',
      mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'docs' }],
      tools: [{ type: 'code_execution_20250825', name: 'code_execution' }],
    };
    const betas = 'files-api-2025-04-14,mcp-client-2025-11-20';
    const { answer, sent, headers, record } = await ask(
      shared(),
      platformOf('anthropic'),
      '/messages',
      { ...more, qx: 'us' },
      { 'anthropic-beta': `${betas},skills-2025-10-02` },
    );
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(sent).toMatchObject(more);
    expect(sent).not.toHaveProperty('qx');
    expect(headers['anthropic-beta']).toBe(betas);
    expect(record?.omitted).toEqual(['anthropic-beta:skills-2025-10-02', 'qx']);
    const chat = await ask(shared(), platformOf('openai'), '/chat/completions', {
      store: true,
      qx: 'flex',
    });
    expect(chat.sent).toMatchObject({ store: true });
    expect(chat.sent).not.toHaveProperty('qx');
  });

  it('model lists show the usual parameters alone', async () => {
    const listed = bodyOf(await shared().use('GET', '/models')).data as Row[];
    expect(new Set(listed.flatMap((model) => model.supported_parameters as string[]))).toEqual(
      new Set(['max_tokens', 'tools']),
    );
    const { data } = bodyOf(await shared().use('GET', '/models/openai/m/endpoints')) as {
      data: { endpoints: Row[] };
    };
    expect(data.endpoints[0]?.supported_parameters).toEqual(['max_tokens', 'tools']);
  });

  it('an address is admitted by its scheme', async () => {
    const image = { type: 'image_url', image_url: { url: 'gs://public/a.png' } };
    const messages = [{ role: 'user', content: [image] }];
    const { sent } = await ask(shared(), platformOf('vertex-gemini'), '/chat/completions', { messages });
    expect(JSON.stringify(sent)).toContain('gs://public/a.png');
  });
});

describe.each([
  ['all prices are 0', { pricing: { prompt: '0', completion: '0' } }],
  ['everything is discounted', { pricing: { prompt: '1', completion: '1', discount: 1 } }],
])('where %s', (_, overrides) => {
  const { shared } = onBothCapacities(overrides);

  it('everything is sent but what names objects of the operator', async () => {
    const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }];
    const more = { tools, speed: 'fast' };
    const { sent, record } = await ask(shared(), platformOf('anthropic'), '/messages', more);
    expect(sent).toMatchObject(more);
    expect(record?.omitted).toEqual([]);
    const asked = await ask(shared(), platformOf('vertex-gemini'), '/chat/completions', {
      cached_content: 'c/1',
    });
    expectRefused(asked, 'cached_content');
  });
});

function platformOf(slug: string): Platform {
  const platform = PLATFORMS.find((known) => known.slug === slug);
  if (platform === undefined) throw new Error(`there is no platform ${slug}`);
  return platform;
}
