import { describe, expect, it } from 'vitest';
import { startProviders } from '../../support/providers.js';
import { caller } from '../../support/rest.js';
import { messageOf, onPlatforms } from './platform.js';

describe('F22: members of a provider’s own API', () => {
  const { gateway, ask, plan, sent } = onPlatforms();

  it('Anthropic’s pass as they are, beside what is translated', async () => {
    const native = {
      // The model can't think.
      thinking: { type: 'disabled' },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'docs' }],
      container: 'container_1',
      inference_geo: 'us',
    };
    const betas = ['context-management-2025-06-27', 'mcp-client-2025-11-20'];
    const answer = await ask('anthropic', {
      ...native,
      betas,
      max_tokens: 4000,
      reasoning: { effort: 'low' },
    });
    expect(answer.error).toBeUndefined();
    expect(sent('anthropic')).toMatchObject({ ...native, max_tokens: 4000 });
    expect(sent('anthropic')).not.toHaveProperty('betas');
    expect(lastHeaders('anthropic')['anthropic-beta']).toBe(betas.join(','));
  });

  it('beta features may be named by the header, as Anthropic’s clients do', async () => {
    const rest = caller(gateway(), gateway().apiKey);
    const body = {
      model: 'anthropic/m',
      messages: [{ role: 'user', content: 'Hi' }],
      context_management: { edits: [] },
      betas: ['other-2025-01-01'],
    };
    const headers = { 'anthropic-beta': 'context-management-2025-06-27, other-2025-01-01, not a name' };
    for (const stream of [false, true]) {
      const answer = await rest('POST', '/chat/completions', { ...body, stream }, headers);
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      expect(lastHeaders('anthropic')['anthropic-beta']).toBe(
        'context-management-2025-06-27,other-2025-01-01',
      );
    }
  });

  it('the header goes to providers of Anthropic’s models only', async () => {
    const rest = caller(gateway(), gateway().apiKey);
    for (const slug of ['openai', 'vertex-gemini', 'bedrock-key', 'vertex-claude'] as const) {
      const body = { model: `${slug}/m`, messages: [{ role: 'user', content: 'Hi' }] };
      await rest('POST', '/chat/completions', body, { 'anthropic-beta': 'some-2025-01-01' });
    }
    expect(lastHeaders('openai')).not.toHaveProperty('anthropic-beta');
    expect(sent('bedrock-key')).toMatchObject({
      additionalModelRequestFields: { anthropic_beta: ['some-2025-01-01'] },
    });
    const named = gateway().fakes.vertex.requests.map(({ path, headers }) => [
      path.includes('anthropic'),
      headers['anthropic-beta'],
    ]);
    expect(named.slice(-2)).toEqual([
      [false, undefined],
      [true, 'some-2025-01-01'],
    ]);
  });

  it('Anthropic’s pass to its models at Amazon Bedrock, in the model’s own fields', async () => {
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const context_management = { edits: [] };
    await ask('bedrock-key', { thinking, context_management, betas: ['b-2025-01-01'], max_tokens: 4000 });
    expect(sent('bedrock-key')).toMatchObject({
      additionalModelRequestFields: { thinking, context_management, anthropic_beta: ['b-2025-01-01'] },
    });
  });

  it('Gemini’s pass in either spelling, and its own generation config counts', async () => {
    const safety = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }];
    const answer = await ask('vertex-gemini', {
      safety_settings: safety,
      labels: { team: 'a' },
      cachedContent: 'projects/p/locations/l/cachedContents/1',
      generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW', temperature: 0.1 },
      temperature: 0.9,
    });
    expect(answer.error).toBeUndefined();
    expect(sent('vertex-gemini')).toMatchObject({
      safetySettings: safety,
      labels: { team: 'a' },
      cachedContent: 'projects/p/locations/l/cachedContents/1',
      generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW', temperature: 0.1 },
    });
  });

  it('Gemini’s own tools pass', async () => {
    const search = { type: 'google_search', google_search: { excludeDomains: ['a.example'] } };
    await ask('vertex-gemini', { tools: [search, { type: 'urlContext' }] });
    expect(sent('vertex-gemini')).toMatchObject({
      tools: [{ googleSearch: { excludeDomains: ['a.example'] } }, { urlContext: {} }],
    });
  });

  it('`web_search_options` become each provider’s own search', async () => {
    const user_location = { type: 'approximate', approximate: { country: 'CH' } };
    await ask('vertex-gemini', { web_search_options: {} });
    expect(sent('vertex-gemini').tools).toEqual([{ googleSearch: {} }]);
    await ask('anthropic', { web_search_options: { user_location } });
    expect(sent('anthropic').tools).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 10,
        user_location: { type: 'approximate', country: 'CH' },
      },
    ]);
    await ask('openai', { web_search_options: { user_location } });
    expect(sent('openai').web_search_options).toEqual({ user_location });
  });

  it('what Gemini grounded its answer on is in `annotations`, with all that clients demand of a page', async () => {
    const groundingMetadata = {
      webSearchQueries: ['weather'],
      groundingChunks: [
        { web: { uri: 'https://a.example/1', title: 'A' } },
        { web: { uri: 'https://b.example' } },
      ],
    };
    plan('vertex-gemini', { candidate: { groundingMetadata } });
    const place = { start_index: 0, end_index: 0 };
    const annotations = [
      { type: 'url_citation', url_citation: { url: 'https://a.example/1', title: 'A', ...place } },
      { type: 'url_citation', url_citation: { url: 'https://b.example', title: '', ...place } },
    ];
    expect(messageOf(await ask('vertex-gemini'))).toMatchObject({ annotations });
    plan('vertex-gemini', {});
  });

  function lastHeaders(fake: 'openai' | 'anthropic'): Readonly<Record<string, unknown>> {
    return gateway().fakes[fake].requests.at(-1)?.headers ?? {};
  }
});

/** https://docs.perplexity.ai/api-reference/chat-completions-post */
const PERPLEXITY = {
  citations: ['https://a.example'],
  search_results: [{ title: 'A', url: 'https://a.example', date: null }],
};

describe('F7: members of an answer beside its choices', () => {
  it('pass in one piece, but for those that are the gateway’s own', async () => {
    const gateway = await startProviders('shared capacity');
    const message = { role: 'assistant', content: 'Hi' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const own = { id: 'theirs', created: 1, model: 'm', provider: 'them', error: null };
    gateway.alpha.plan('m', { answer: { ...own, ...PERPLEXITY, service_tier: 'flex', choices } });
    const { text } = await gateway.ask('in one piece');
    expect(JSON.parse(text)).toMatchObject({ ...PERPLEXITY, service_tier: 'flex', provider: 'alpha' });
    expect(JSON.parse(text)).not.toHaveProperty('error');
  });

  it('pass in a stream where they are new, and all of them with the usage', async () => {
    const gateway = await startProviders('shared capacity');
    const chunk = (delta: object, more: object, finish_reason: string | null = null) => ({
      ...more,
      obfuscation: 'x',
      choices: [{ index: 0, delta, finish_reason }],
    });
    gateway.alpha.plan('m', {
      chunks: [
        chunk({ role: 'assistant' }, { service_tier: 'flex', citations: [] }),
        chunk({ content: 'Hi' }, { service_tier: 'flex', citations: [] }),
        chunk({ content: ' there' }, { service_tier: 'flex', citations: [] }),
        chunk({}, { service_tier: 'flex', ...PERPLEXITY }, 'stop'),
      ],
    });
    const { text } = await gateway.ask('streamed');
    const chunks = text
      .split('\n\n')
      .flatMap((event) => (event.startsWith('data: {') ? [event.slice(6)] : []));
    const told = chunks.map((one) => {
      const { service_tier, citations, search_results, obfuscation } = JSON.parse(one);
      return { service_tier, citations, search_results, obfuscation };
    });
    expect(told).toEqual([
      { service_tier: 'flex', citations: [] },
      {},
      PERPLEXITY,
      { service_tier: 'flex', ...PERPLEXITY },
    ]);
  });
});

describe('F7: what other formats say of an answer', () => {
  const { ask, stream, plan } = onPlatforms();

  it('Anthropic’s tier, container and context edits', async () => {
    const container = { id: 'container_1', expires_at: '2026-11-23T00:00:00Z' };
    plan('anthropic', { message: { container }, usage: { service_tier: 'priority' } });
    expect(await ask('anthropic')).toMatchObject({ service_tier: 'priority', container });
    expect((await stream('anthropic')).at(-1)).toMatchObject({ service_tier: 'priority', container });
  });

  it('Bedrock’s tier and performance', async () => {
    const told = { serviceTier: { type: 'priority' }, performanceConfig: { latency: 'optimized' } };
    await ask('bedrock-key', { service_tier: 'priority', performanceConfig: { latency: 'optimized' } });
    plan('bedrock-key', { members: told });
    const seen = { service_tier: 'priority', performanceConfig: { latency: 'optimized' } };
    expect(await ask('bedrock-key')).toMatchObject(seen);
    expect((await stream('bedrock-key')).at(-1)).toMatchObject(seen);
    plan('bedrock-key', {});
  });
});
