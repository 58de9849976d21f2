/**
 * Differences between hosts that speak OpenAI's chat format, at a glance. Sources: `docs/providers/README.md`. The
 * catalogue overrides them by provider and by endpoint: `docs/catalog.md#quirks`.
 */
import type { HostName } from '../../../catalog/known-hosts.js';
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
  readonly quirks: Quirks;
  /** Quirks of models, from the first row whose id matches. */
  readonly models?: readonly { readonly id: RegExp; readonly quirks: Quirks }[];
}

/** By the slug of the provider. */
export const HOSTS: Readonly<Record<HostName, Host>> = {
  alibaba: { quirks: ALIBABA },
  'alibaba-cn': { quirks: ALIBABA },
  azure: {
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
    quirks: {
      ...NO_CACHE_CONTROL,
      maxTokensMember: 'max_completion_tokens',
      developerRole: true,
      members: { verbosity: null },
      schemaWithout: ['pattern', 'format', 'minItems', 'maxItems'],
    },
  },
  deepseek: {
    quirks: {
      ...NO_CACHE_CONTROL,
      ...CACHED_INSIDE,
      reasoningMember: 'reasoning_content',
      reasoningOn: THINKING_ON,
      reasoningOff: THINKING_OFF,
    },
  },
  fireworks: { quirks: { ...NO_CACHE_CONTROL, members: { verbosity: null } } },
  'google-ai-studio': {
    quirks: { ...NO_CACHE_CONTROL, maxTokensMember: 'max_completion_tokens' },
  },
  // Models of publishers other than Google and Anthropic.
  'google-vertex': { quirks: NO_CACHE_CONTROL },
  groq: {
    quirks: {
      ...NO_CACHE_CONTROL,
      ...CACHED_INSIDE,
      maxTokensMember: 'max_completion_tokens',
      members: { verbosity: null },
    },
  },
  mistral: {
    // It always sends a stream's usage, and refuses `stream_options`.
    quirks: { ...NO_CACHE_CONTROL, streamOptions: null, members: { seed: 'random_seed', verbosity: null } },
  },
  moonshotai: { quirks: MOONSHOT },
  'moonshotai-cn': { quirks: MOONSHOT },
  openai: { quirks: OPENAI },
  together: {
    quirks: {
      reasoningOn: { reasoning: { enabled: true } },
      reasoningOff: { reasoning: { enabled: false } },
    },
  },
  openrouter: { quirks: {} },
  perplexity: {
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
  xai: { quirks: { ...CACHED_INSIDE, maxTokensMember: 'max_completion_tokens' } },
  'z-ai': {
    quirks: { reasoningOn: THINKING_ON, reasoningOff: THINKING_OFF },
  },
};
