/**
 * How hosts are told which requests are of one session, so that these find its prompt cache warm. Looked up on 2026-11-26. In
 * words: `docs/providers/README.md#sessions`.
 */
import { type HostName, hostOf } from '../../catalog/known-hosts.js';
import type { Endpoint, Format, Provider } from '../../catalog/types.js';

/** Where a host is told; members win over the header in the formats that have them. */
interface HostHint {
  /** A header of requests of any format. */
  readonly header?: string;
  /** Formats with the member `prompt_cache_key`. */
  readonly inBody?: readonly Format[];
  /** Models that it is for, by id; all without. */
  readonly models?: RegExp;
  /** The longest `prompt_cache_key`, in characters; unknown without. */
  readonly maxKey?: number;
}

/** What OpenAI answers to longer ones: https://github.com/theopenco/llmgateway/pull/3110, for Azure too. */
const MAX_KEY = 64;

const OF_OPENAI: readonly Format[] = ['chat', 'responses'];

/** Null: the host caches by itself, or refuses hints. */
const HINTS: Readonly<Record<HostName, HostHint | null>> = {
  // Ignores the member: https://github.com/anomalyco/models.dev/pull/6813
  alibaba: null,
  'alibaba-cn': null,
  // https://learn.microsoft.com/en-us/azure/foundry/openai/how-to/prompt-caching; models of others refuse it:
  // https://github.com/vectorize-io/hindsight/issues/3518
  azure: {
    inBody: OF_OPENAI,
    models: /^openai\/(?!gpt-oss)|(?:^|\/)(?:gpt-\d|o\d|chatgpt)/,
    maxKey: MAX_KEY,
  },
  // Caches for the whole organization: https://inference-docs.cerebras.ai/capabilities/prompt-caching
  cerebras: null,
  // https://api-docs.deepseek.com/guides/kv_cache
  deepseek: null,
  // https://docs.fireworks.ai/guides/prompt-caching
  fireworks: { header: 'x-session-affinity' },
  // https://github.com/anomalyco/models.dev/pull/6803
  'google-ai-studio': null,
  'google-vertex': null,
  // Refuses the member: https://github.com/zed-industries/zed/issues/36215
  groq: null,
  // https://docs.mistral.ai/inference/conversations/advanced/prompt-caching
  mistral: { inBody: ['chat'] },
  // https://github.com/anomalyco/models.dev/pull/6798
  moonshotai: { inBody: ['chat'] },
  'moonshotai-cn': { inBody: ['chat'] },
  // https://developers.openai.com/api/docs/guides/prompt-caching
  openai: { inBody: OF_OPENAI, maxKey: MAX_KEY },
  // At most 256 characters: https://openrouter.ai/docs/guides/best-practices/prompt-caching
  openrouter: { header: 'x-session-id' },
  // Documents none.
  perplexity: null,
  // "No parameter, header, or account setting": https://docs.together.ai/docs/inference/chat/prompt-caching
  together: null,
  // https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits
  xai: { header: 'x-grok-conv-id' },
  // https://github.com/anomalyco/models.dev/pull/6817
  'z-ai': null,
};

/** Hosts of which nothing else is known. */
const OTHERS: ReadonlyMap<string, HostHint> = new Map([
  // https://developers.cloudflare.com/workers-ai/features/prompt-caching
  ['api.cloudflare.com', { header: 'x-session-affinity' }],
  // https://github.com/anomalyco/models.dev/pull/6797
  ['api.deepinfra.com', { inBody: ['chat'] }],
  // https://github.com/HKUDS/nanobot/issues/5661
  ['opencode.ai', { header: 'x-opencode-session' }],
]);

type Called = Pick<Provider, 'slug' | 'adapter' | 'baseUrl'>;

const known = new WeakMap<Called, HostHint | null>();

function hintOf(provider: Called): HostHint | null {
  let hint = known.get(provider);
  if (hint === undefined) {
    const name = hostOf(provider);
    const [, host = ''] = /^https?:\/\/([^/?#:]*)/i.exec(provider.baseUrl ?? '') ?? [];
    hint = name === undefined ? (OTHERS.get(host.toLowerCase()) ?? null) : HINTS[name];
    known.set(provider, hint);
  }
  return hint;
}

/** What a host is told of the session of a request. */
export interface SessionHint {
  readonly headers?: Readonly<Record<string, string>>;
  /** For bodies that have none. */
  readonly promptCacheKey?: string;
}

/** Undefined where the host has no place for it. */
export function hintAt(
  { modelId }: Pick<Endpoint, 'modelId'>,
  provider: Called,
  format: Format,
  token: () => string,
): SessionHint | undefined {
  const hint = hintOf(provider);
  if (hint === null || !(hint.models?.test(modelId) ?? true)) return undefined;
  if (hint.inBody?.includes(format)) return { promptCacheKey: token() };
  return hint.header === undefined ? undefined : { headers: { [hint.header]: token() } };
}

/** The most characters that the host takes in a `prompt_cache_key`. */
export function maxCacheKey(provider: Called): number {
  return hintOf(provider)?.maxKey ?? Number.POSITIVE_INFINITY;
}

/** Whether the host has the member `session_id`, or may have it. Others refuse it. */
export function takesSessionId(provider: Called): boolean {
  const name = hostOf(provider);
  return provider.adapter === 'openai' && (name === undefined || name === 'openrouter');
}
