/**
 * What differs between hosts that speak OpenAI's chat format, at a glance. Where each fact is from:
 * `docs/providers/README.md`. The catalogue overrides it by provider and by endpoint: `docs/catalog.md#quirks`.
 */
import type { QuirkMembers, Quirks } from '../../../catalog/quirks.js';

/** A host that no row is for, such as an operator's own server. */
export const UNKNOWN: Quirks = {
  maxTokensMember: 'max_tokens',
  developerRole: false,
  streamOptions: { include_usage: true },
  // Aggregators, which pass requests on, may need the marks.
  cacheControl: true,
};

/** Hosts that refuse members that they do not know, or have no use for marks of a prompt cache. */
const UNMARKED: Quirks = { cacheControl: false };

/** Members of OpenAI's API that the host refuses. */
function refused(...names: readonly string[]): Record<string, null> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

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

export interface Host {
  /** Hosts of its API; without one, providers are known by their slug alone. */
  readonly hosts: readonly string[];
  readonly quirks: Quirks;
  /** Other quirks of models, of the first whose id matches. */
  readonly models?: readonly { readonly id: RegExp; readonly quirks: Quirks }[];
}

/** By the slug of the provider. */
const TABLE = {
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
  openrouter: { hosts: ['openrouter.ai'], quirks: {} },
  perplexity: {
    hosts: ['api.perplexity.ai'],
    quirks: {
      ...UNMARKED,
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
  xai: { hosts: ['api.x.ai'], quirks: { maxTokensMember: 'max_completion_tokens' } },
  'z-ai': {
    hosts: ['api.z.ai', 'open.bigmodel.cn'],
    quirks: { reasoningOn: THINKING_ON, reasoningOff: THINKING_OFF },
  },
} as const satisfies Readonly<Record<string, Host>>;

/** The hosts of the table, by the slugs of their providers. */
export type HostName = keyof typeof TABLE;

export const HOSTS: Readonly<Record<HostName, Host>> = TABLE;
