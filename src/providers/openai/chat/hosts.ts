/**
 * Differences between hosts that speak OpenAI's chat format, at a glance. Sources: `docs/providers/README.md`. The
 * catalogue overrides them by provider and by endpoint: `docs/catalog.md#quirks`.
 */
import type { QuirkMembers, Quirks } from '../../../catalog/quirks.js';

/** A host that no row is for, such as an operator's own server. */
export const UNKNOWN: Quirks = {
  maxTokensMember: 'max_tokens',
  developerRole: false,
  streamOptions: { include_usage: true },
  // Aggregators, which pass requests on, may need it.
  cacheControl: true,
};

/** Hosts that refuse unknown members, or have no use for `cache_control`. */
const NO_CACHE_CONTROL: Quirks = { cacheControl: false };

/** Hosts whose documents say that their count of the prompt includes cached tokens. */
const CACHED_INSIDE: Quirks = { cachedTokens: 'inside' };

/** Members of OpenAI's API that the host refuses. */
function refused(...names: readonly string[]): Record<string, null> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** Sampling parameters of open models. */
const OPEN_SAMPLING = { top_k: null, min_p: null, top_a: null, repetition_penalty: null };

const THINKING_ON: QuirkMembers = { thinking: { type: 'enabled' } };
const THINKING_OFF: QuirkMembers = { thinking: { type: 'disabled' } };

const OPENAI: Quirks = {
  ...NO_CACHE_CONTROL,
  ...CACHED_INSIDE,
  maxTokensMember: 'max_completion_tokens',
  developerRole: true,
  streamOptions: { include_usage: true, include_obfuscation: false },
  members: OPEN_SAMPLING,
};

const AZURE: Quirks = {
  ...NO_CACHE_CONTROL,
  ...CACHED_INSIDE,
  members: OPEN_SAMPLING,
  apiVersion: 'v1',
};

const ALIBABA: Quirks = {
  ...NO_CACHE_CONTROL,
  ...CACHED_INSIDE,
  reasoningOn: { enable_thinking: true },
  reasoningOff: { enable_thinking: false },
};

const MOONSHOT: Quirks = {
  ...NO_CACHE_CONTROL,
  ...CACHED_INSIDE,
  reasoningMember: 'reasoning_content',
  reasoningOff: THINKING_OFF,
};

export interface Host {
  /** Hosts of its API; without one, providers are known by their slug alone. */
  readonly hosts: readonly string[];
  readonly quirks: Quirks;
  /** Quirks of models, from the first row whose id matches. */
  readonly models?: readonly { readonly id: RegExp; readonly quirks: Quirks }[];
}

/** By the slug of the provider. */
const TABLE = {
  alibaba: { hosts: ['dashscope-intl.aliyuncs.com', 'dashscope-us.aliyuncs.com'], quirks: ALIBABA },
  'alibaba-cn': { hosts: ['dashscope.aliyuncs.com'], quirks: ALIBABA },
  azure: {
    hosts: [],
    quirks: AZURE,
    // Older models, and models of other authors, accept the older name in every version.
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
      ...NO_CACHE_CONTROL,
      maxTokensMember: 'max_completion_tokens',
      developerRole: true,
      members: { verbosity: null },
      schemaWithout: ['pattern', 'format', 'minItems', 'maxItems'],
    },
  },
  deepseek: {
    hosts: ['api.deepseek.com'],
    quirks: {
      ...NO_CACHE_CONTROL,
      ...CACHED_INSIDE,
      reasoningMember: 'reasoning_content',
      reasoningOn: THINKING_ON,
      reasoningOff: THINKING_OFF,
    },
  },
  fireworks: { hosts: ['api.fireworks.ai'], quirks: { ...NO_CACHE_CONTROL, members: { verbosity: null } } },
  'google-ai-studio': {
    hosts: ['generativelanguage.googleapis.com'],
    quirks: { ...NO_CACHE_CONTROL, maxTokensMember: 'max_completion_tokens' },
  },
  // Models of publishers other than Google and Anthropic.
  'google-vertex': { hosts: [], quirks: NO_CACHE_CONTROL },
  groq: {
    hosts: ['api.groq.com'],
    quirks: {
      ...NO_CACHE_CONTROL,
      ...CACHED_INSIDE,
      maxTokensMember: 'max_completion_tokens',
      members: { verbosity: null },
    },
  },
  mistral: {
    hosts: ['api.mistral.ai'],
    // It always sends a stream's usage, and refuses `stream_options`.
    quirks: { ...NO_CACHE_CONTROL, streamOptions: null, members: { seed: 'random_seed', verbosity: null } },
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
  openrouter: { hosts: ['openrouter.ai'], quirks: {} },
  perplexity: {
    hosts: ['api.perplexity.ai'],
    quirks: {
      ...NO_CACHE_CONTROL,
      members: refused(
        'logit_bias',
        'logprobs',
        'n',
        'parallel_tool_calls',
        'seed',
        'service_tier',
        'store',
        'verbosity',
      ),
    },
  },
  xai: { hosts: ['api.x.ai'], quirks: { ...CACHED_INSIDE, maxTokensMember: 'max_completion_tokens' } },
  'z-ai': {
    hosts: ['api.z.ai', 'open.bigmodel.cn'],
    quirks: { reasoningOn: THINKING_ON, reasoningOff: THINKING_OFF },
  },
} as const satisfies Readonly<Record<string, Host>>;

/** The hosts of the table, by the slugs of their providers. */
export type HostName = keyof typeof TABLE;

export const HOSTS: Readonly<Record<HostName, Host>> = TABLE;
