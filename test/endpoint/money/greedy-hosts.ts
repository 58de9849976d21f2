/** A gateway in front of providers that use up everything that a request allows them to. */
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY as ANTHROPIC_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { FAKE_API_KEY as OPENAI_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import type { TestGatewayOptions } from '../../support/gateway.js';
import { type MoneyGateway, startMoneyGateway } from '../../support/money.js';
import { share } from '../../support/providers.js';
import { type Answer, caller, recordOf } from '../../support/rest.js';

const CONTEXT = 200_000;
const MAX_COMPLETION = 16_384;

/** Long enough that all of a hundred requests are admitted while the first is answered. */
const DELAY_MS = 400;

const PRICING = {
  prompt: '0.000003',
  completion: '0.00001',
  internal_reasoning: '0.00002',
  input_cache_write: '0.00000375',
  input_cache_write_1h: '0.000006',
  web_search: '0.01',
  overrides: [{ min_prompt_tokens: 100_000, prompt: '0.000006', completion: '0.0000225' }],
};

type Host = 'openai' | 'anthropic' | 'google-vertex';

/** A request of a kind that costs, and what a host that honours it may report at most. */
export interface GreedyKind {
  readonly name: string;
  readonly host: Host;
  readonly path: '/chat/completions' | '/messages';
  readonly body: object;
  readonly plan: object;
  /** Prices that only models of this kind have. */
  readonly prices?: object;
}

const CHAT = { messages: [{ role: 'user', content: 'Hello there' }] };
const chat = (name: string, body: object, plan: object, prices: object = {}): GreedyKind => ({
  name,
  prices,
  host: 'openai',
  path: '/chat/completions',
  body: { ...CHAT, ...body },
  plan,
});
const claude = (name: string, path: GreedyKind['path'], body: object, usage: object): GreedyKind => ({
  name,
  host: 'anthropic',
  path,
  body: { ...CHAT, max_tokens: 64, ...body },
  plan: { usage },
});

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const document = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } };
const cached = (tokens: number) => ({
  input_tokens: 0,
  cache_creation_input_tokens: tokens,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: tokens },
});

export const GREEDY_KINDS: readonly GreedyKind[] = [
  chat('a chat without max_tokens', {}, { usage: { completion_tokens: MAX_COMPLETION } }),
  chat(
    'a stream without max_tokens that thinks unseen',
    { stream: true },
    {
      usage: {
        completion_tokens: MAX_COMPLETION,
        completion_tokens_details: { reasoning_tokens: MAX_COMPLETION },
      },
    },
  ),
  chat('several answers', { n: 4, max_tokens: 4_000 }, { usage: { completion_tokens: 16_000 } }),
  chat(
    'web_search_options',
    { web_search_options: {}, max_tokens: 100 },
    { usage: { prompt_tokens: CONTEXT, completion_tokens: 100, num_search_queries: 10 } },
  ),
  chat(
    'speech',
    { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' }, max_tokens: 2_000 },
    { usage: { completion_tokens: 2_000, completion_tokens_details: { audio_tokens: 2_000 } } },
    { audio_output: '0.00008' },
  ),
  chat(
    'pictures',
    { modalities: ['text', 'image'], max_tokens: 100 },
    {
      answer: {
        ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: 'Here', images: Array<object>(10).fill(picture) },
          },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 },
      },
    },
    { image_output: '0.04' },
  ),
  chat(
    'a document that fills the context',
    { messages: [{ role: 'user', content: [document] }], max_tokens: 100 },
    { usage: { prompt_tokens: CONTEXT, completion_tokens: 100 } },
  ),
  claude(
    'a native search tool',
    '/messages',
    { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] },
    { ...cached(6 * CONTEXT), output_tokens: 6 * 64, server_tool_use: { web_search_requests: 5 } },
  ),
  claude(
    'a native search tool in a chat',
    '/chat/completions',
    { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] },
    { ...cached(6 * CONTEXT), output_tokens: 6 * 64, server_tool_use: { web_search_requests: 5 } },
  ),
  claude(
    'web_search_options at Claude',
    '/chat/completions',
    { web_search_options: {} },
    { ...cached(11 * CONTEXT), output_tokens: 11 * 64, server_tool_use: { web_search_requests: 10 } },
  ),
  {
    name: 'a configuration of Google’s own beside max_tokens and n',
    host: 'google-vertex',
    path: '/chat/completions',
    body: {
      ...CHAT,
      ...{ n: 1, max_tokens: 10 },
      generationConfig: { maxOutputTokens: 65_536, candidateCount: 8 },
    },
    plan: { usage: { candidatesTokenCount: 8 * 65_536 } },
  },
];

const UPSTREAM = (host: Host, index: number) =>
  ({ openai: `gpt-4o-${index}`, anthropic: `claude-sonnet-4-6`, 'google-vertex': 'gemini-2.5-flash' })[host];

const modelOf = (index: number) => `test/kind-${index}`;

export interface GreedyGateway extends MoneyGateway {
  /** Sends one request of the kind, with the account's key or another. */
  ask(kind: GreedyKind, key?: string): Promise<Answer>;
}

/** Starts one that ends with the test. Each kind has a model, and a fake, of its own. */
export async function startGreedy(
  kinds: readonly GreedyKind[],
  capacity: 'shared' | 'byok',
  options: Omit<TestGatewayOptions, 'catalog'> = {},
): Promise<GreedyGateway> {
  const hosts = await Promise.all(kinds.map(startHost));
  const gateway = await startMoneyGateway({
    credits: 10n ** 15n,
    ...options,
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', ...options.env },
    providers: kinds.map(({ host }, index) => ({
      ...{ slug: `host-${index}`, name: `Host ${index}`, adapter: host, base_url: hosts[index]?.baseUrl },
    })),
    models: kinds.map(({ host, prices }, index) =>
      demoModel(
        modelOf(index),
        [
          {
            provider: `host-${index}`,
            upstream_model_id: UPSTREAM(host, index),
            pricing: { ...PRICING, ...prices },
            max_completion_tokens: MAX_COMPLETION,
          },
        ],
        { context_length: CONTEXT },
      ),
    ),
  });
  for (const [index, { host }] of kinds.entries()) {
    const key = hosts[index]?.key ?? '';
    if (capacity === 'shared') await share(gateway, `host-${index}`, key, host);
    else recordOf(await gateway.manage('POST', '/byok', { provider: `host-${index}`, key }));
  }
  return {
    ...gateway,
    ask: (kind, key = gateway.apiKey) =>
      caller(gateway, key)('POST', kind.path, { ...kind.body, model: modelOf(kinds.indexOf(kind)) }),
  };
}

async function startHost({ host, plan }: GreedyKind, index: number) {
  const upstream = UPSTREAM(host, index);
  const greedy = { delayMs: DELAY_MS, ...plan };
  if (host === 'google-vertex') {
    const vertex = await startFakeVertex(Date.now);
    vertex.plan(upstream, greedy);
    return { baseUrl: vertex.origin, key: vertex.serviceAccount() };
  }
  if (host === 'anthropic') {
    const anthropic = await startFakeAnthropic();
    anthropic.plan(upstream, greedy);
    return { baseUrl: anthropic.baseUrl, key: ANTHROPIC_KEY };
  }
  const openai = await startFakeOpenAi();
  openai.plan(upstream, greedy);
  return { baseUrl: openai.baseUrl, key: OPENAI_KEY };
}
