/** What hosts call service tiers: `docs/providers/README.md#service-tiers`, with sources. */
import { sentChatsAs } from '../../catalog/formats.js';
import { type HostName, hostOf } from '../../catalog/known-hosts.js';
import { isBaseWord, modeWord } from '../../catalog/modes.js';
import type { AdapterName, Endpoint, Format, Provider } from '../../catalog/types.js';

/** The tiers of a host. */
export interface HostTiers {
  /** Its word for the base; null = it has none, and is not told. */
  readonly base: string | null;
  /** Words of the base that it takes. */
  readonly bases: readonly string[];
  /** Its other words; null = any. */
  readonly others: readonly string[] | null;
  /** Its words for those of others. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Whether it takes `speed`: as Anthropic does, or since nobody knows what it takes. */
  readonly takesSpeeds: boolean;
  /** The same of `inference_geo`. */
  readonly takesGeos: boolean;
  /** Whether `priority` is capacity that was paid before: what answers say of it, and what `auto` may use. */
  readonly sellsAhead?: true;
  /** Whether it has Converse's member for tiers, `serviceTier`. */
  readonly hasOwnMember?: true;
}

type Named = Pick<Endpoint, 'upstreamModelId' | 'formats' | 'quirks'>;
type Host = Pick<Provider, 'slug' | 'adapter' | 'baseUrl'>;

/** How the tiers of a request in this format are said to the host; null = it has no tiers. */
export function tiersAt(endpoint: Named, provider: Host, format: Format): HostTiers | null {
  return format === 'messages'
    ? OF_MESSAGES[provider.adapter](endpoint)
    : OF_CHATS[provider.adapter](endpoint, provider);
}

/** The host's word for a tier; null = it is not told, which loses something unless `asksForNoTier`. */
export function hostTier(value: unknown, tiers: HostTiers | null): unknown {
  if (tiers === AS_IT_CAME) return value;
  if (tiers === null || typeof value !== 'string') return null;
  const word = modeWord(value);
  const renamed = Object.hasOwn(tiers.renamed, word) ? tiers.renamed[word] : undefined;
  if (renamed !== undefined) return renamed;
  if (tiers.bases.includes(word)) return word;
  if (isBase(word)) return tiers.base;
  return tiers.others === null || tiers.others.includes(word) ? word : null;
}

/** Whether a value asks for no other tier than the usual one. */
export function asksForNoTier(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && isBase(modeWord(value)));
}

/** Capacity that was paid before is asked for in words of its own. */
function isBase(word: string): boolean {
  return isBaseWord('speed', word);
}

/** A host of which nothing is known. */
export const AS_IT_CAME: HostTiers = {
  base: null,
  bases: [],
  others: null,
  renamed: {},
  takesSpeeds: true,
  takesGeos: true,
};

const OPENAI: HostTiers = {
  base: 'default',
  bases: ['auto', 'default'],
  others: null,
  renamed: { fast: 'priority' },
  takesSpeeds: false,
  takesGeos: false,
};

const ANTHROPIC: HostTiers = {
  base: 'standard_only',
  bases: ['auto', 'standard_only'],
  others: [],
  renamed: { priority: 'auto' },
  takesSpeeds: true,
  takesGeos: true,
  sellsAhead: true,
};

/** The deployment decides about speed and place. */
const FOUNDRY: HostTiers = { ...ANTHROPIC, takesSpeeds: false, takesGeos: false };

/** The address decides about the place. */
const CLAUDE_AT_VERTEX: HostTiers = {
  base: null,
  bases: [],
  others: [],
  renamed: {},
  takesSpeeds: false,
  takesGeos: false,
  sellsAhead: true,
};
const FAST_AT_VERTEX: HostTiers = { ...CLAUDE_AT_VERTEX, takesSpeeds: true };

const BEDROCK: HostTiers = {
  base: 'default',
  bases: ['default'],
  others: ['flex', 'priority', 'reserved'],
  renamed: { fast: 'priority' },
  takesSpeeds: false,
  takesGeos: false,
  hasOwnMember: true,
};

/** Asked for by a header. */
const GEMINI: HostTiers = {
  base: null,
  bases: [],
  others: ['flex', 'priority'],
  renamed: { fast: 'priority' },
  takesSpeeds: false,
  takesGeos: false,
};

/** By the slugs of hosts in OpenAI's format. */
const OF_HOSTS: Readonly<Record<HostName, HostTiers | null>> = {
  alibaba: null,
  'alibaba-cn': null,
  azure: OPENAI,
  cerebras: OPENAI,
  deepseek: null,
  fireworks: { ...OPENAI, base: null, bases: [], others: ['priority'] },
  'google-ai-studio': { ...OPENAI, base: 'standard', bases: ['standard'], others: ['flex', 'priority'] },
  'google-vertex': null,
  groq: {
    ...OPENAI,
    base: 'on_demand',
    bases: ['auto', 'on_demand'],
    renamed: { fast: 'performance', priority: 'performance' },
  },
  mistral: AS_IT_CAME,
  moonshotai: null,
  'moonshotai-cn': null,
  openai: OPENAI,
  openrouter: { ...OPENAI, renamed: {}, takesSpeeds: true, takesGeos: true },
  perplexity: null,
  together: null,
  xai: OPENAI,
  'z-ai': null,
};

function ofCompatible(endpoint: Named, provider: Host): HostTiers | null {
  if (sentChatsAs(endpoint) === 'messages') return provider.adapter === 'azure' ? FOUNDRY : ANTHROPIC;
  if (endpoint.quirks.members?.service_tier === null) return null;
  const host = provider.adapter === 'azure' ? 'azure' : hostOf(provider);
  return host === undefined ? AS_IT_CAME : OF_HOSTS[host];
}

function atVertex({ upstreamModelId }: Named): HostTiers | null {
  if (upstreamModelId.includes('claude'))
    return isFastAtVertex(upstreamModelId) ? FAST_AT_VERTEX : CLAUDE_AT_VERTEX;
  return upstreamModelId.includes('gemini') ? GEMINI : null;
}

/** Whether Vertex AI sells the model at `speed: fast`, which it refuses of any other. */
export function isFastAtVertex(upstreamModelId: string): boolean {
  return /claude-fable-5[-.]2(?!\d)/.test(upstreamModelId);
}

const OF_CHATS: Readonly<Record<AdapterName, (endpoint: Named, provider: Host) => HostTiers | null>> = {
  openai: ofCompatible,
  anthropic: () => ANTHROPIC,
  azure: ofCompatible,
  'amazon-bedrock': () => BEDROCK,
  'google-vertex': atVertex,
  demo: () => AS_IT_CAME,
};

const OF_MESSAGES: Readonly<Record<AdapterName, (endpoint: Named) => HostTiers | null>> = {
  // Whoever copies the format may sell `priority`.
  openai: () => AS_IT_CAME,
  anthropic: () => ANTHROPIC,
  azure: () => FOUNDRY,
  'amazon-bedrock': () => BEDROCK,
  'google-vertex': atVertex,
  demo: () => AS_IT_CAME,
};
