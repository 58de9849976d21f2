/**
 * What differs between hosts that speak OpenAI's chat format, at a glance. Where each fact is from:
 * `docs/providers/README.md`. The catalogue overrides it by provider and by endpoint: `docs/catalog.md#quirks`.
 */
import { mergeQuirks, type QuirkMembers, type Quirks } from '../../../catalog/quirks.js';
import type { Endpoint, Provider } from '../../../catalog/types.js';

/** A host that no row is for, such as an operator's own server. */
const UNKNOWN: Quirks = {
  maxTokensMember: 'max_tokens',
  developerRole: false,
  streamOptions: { include_usage: true },
  // Aggregators, which pass requests on, may need the marks.
  cacheControl: true,
};

/** Hosts that refuse members that they do not know, or have no use for marks of a prompt cache. */
const UNMARKED: Quirks = { cacheControl: false };

/** Sampling parameters of open models. */
const OPEN_SAMPLING = { top_k: null, min_p: null, top_a: null, repetition_penalty: null };

const THINKING_ON: QuirkMembers = { thinking: { type: 'enabled' } };
const THINKING_OFF: QuirkMembers = { thinking: { type: 'disabled' } };

const OPENAI: Quirks = {
  ...UNMARKED,
  maxTokensMember: 'max_completion_tokens',
  developerRole: true,
  streamOptions: { include_usage: true, include_obfuscation: false },
  members: OPEN_SAMPLING,
};

const AZURE: Quirks = {
  ...UNMARKED,
  members: OPEN_SAMPLING,
  apiVersion: 'v1',
};

const ALIBABA: Quirks = {
  ...UNMARKED,
  reasoningOn: { enable_thinking: true },
  reasoningOff: { enable_thinking: false },
};

const MOONSHOT: Quirks = {
  ...UNMARKED,
  reasoningMember: 'reasoning_content',
  reasoningOff: THINKING_OFF,
};

interface Row {
  /** Hosts of its API; without one, providers are known by their slug alone. */
  readonly hosts: readonly string[];
  readonly quirks: Quirks;
  /** Other quirks of models, of the first whose id matches. */
  readonly models?: readonly { readonly id: RegExp; readonly quirks: Quirks }[];
}

/** By the slug of the provider. */
const TABLE: Readonly<Record<string, Row>> = {
  alibaba: { hosts: ['dashscope-intl.aliyuncs.com', 'dashscope-us.aliyuncs.com'], quirks: ALIBABA },
  'alibaba-cn': { hosts: ['dashscope.aliyuncs.com'], quirks: ALIBABA },
  azure: {
    hosts: [],
    quirks: AZURE,
    // Older models and those of other authors are known to take the older name in every version.
    models: [
      { id: /^openai\/gpt-[34]/, quirks: { developerRole: true } },
      {
        id: /^openai\/(?!gpt-oss)/,
        quirks: { maxTokensMember: 'max_completion_tokens', developerRole: true },
      },
    ],
  },
  cerebras: {
    hosts: ['api.cerebras.ai'],
    quirks: {
      ...UNMARKED,
      maxTokensMember: 'max_completion_tokens',
      developerRole: true,
      members: { verbosity: null },
      schemaWithout: ['pattern', 'format', 'minItems', 'maxItems'],
    },
  },
  deepseek: {
    hosts: ['api.deepseek.com'],
    quirks: {
      ...UNMARKED,
      reasoningMember: 'reasoning_content',
      reasoningOn: THINKING_ON,
      reasoningOff: THINKING_OFF,
    },
  },
  fireworks: { hosts: ['api.fireworks.ai'], quirks: { ...UNMARKED, members: { verbosity: null } } },
  'google-ai-studio': {
    hosts: ['generativelanguage.googleapis.com'],
    quirks: { ...UNMARKED, maxTokensMember: 'max_completion_tokens' },
  },
  // Models that are neither Google's nor Anthropic's.
  'google-vertex': { hosts: [], quirks: UNMARKED },
  groq: {
    hosts: ['api.groq.com'],
    quirks: { ...UNMARKED, maxTokensMember: 'max_completion_tokens', members: { verbosity: null } },
  },
  mistral: {
    hosts: ['api.mistral.ai'],
    // It always sends the usage of a stream, and refuses `stream_options`.
    quirks: { ...UNMARKED, streamOptions: null, members: { seed: 'random_seed', verbosity: null } },
  },
  moonshotai: { hosts: ['api.moonshot.ai'], quirks: MOONSHOT },
  'moonshotai-cn': { hosts: ['api.moonshot.cn'], quirks: MOONSHOT },
  openai: { hosts: ['api.openai.com'], quirks: OPENAI },
  together: {
    hosts: ['api.together.xyz', 'api.together.ai'],
    quirks: {
      reasoningOn: { reasoning: { enabled: true } },
      reasoningOff: { reasoning: { enabled: false } },
    },
  },
  xai: { hosts: ['api.x.ai'], quirks: { maxTokensMember: 'max_completion_tokens' } },
  'z-ai': {
    hosts: ['api.z.ai', 'open.bigmodel.cn'],
    quirks: { reasoningOn: THINKING_ON, reasoningOff: THINKING_OFF },
  },
};

const BY_HOST: ReadonlyMap<string, string> = new Map(
  Object.entries(TABLE).flatMap(([slug, row]) => row.hosts.map((host): [string, string] => [host, slug])),
);

/** What tables know a host by: its own slug, where it has none that of the provider; undefined for an unknown host. */
export function knownSlug({ slug }: Pick<Provider, 'slug'>, host: string): string | undefined {
  return BY_HOST.get(host) ?? (Object.hasOwn(TABLE, slug) ? slug : undefined);
}

const known = new WeakMap<Endpoint, { readonly host: string; readonly quirks: Quirks }>();

/**
 * The quirks of an endpoint that is called at this host: those of the host, where it has none those of the provider of
 * this slug (as behind a proxy), and over them what the catalogue says.
 */
export function quirksOf(endpoint: Endpoint, provider: Pick<Provider, 'slug'>, host: string): Quirks {
  const found = known.get(endpoint);
  if (found?.host === host) return found.quirks;
  const slug = knownSlug(provider, host);
  const row = slug === undefined ? undefined : TABLE[slug];
  const ofModel = row?.models?.find(({ id }) => id.test(endpoint.modelId))?.quirks;
  const quirks = mergeQuirks(UNKNOWN, row?.quirks, ofModel, endpoint.quirks);
  known.set(endpoint, { host, quirks });
  return quirks;
}
