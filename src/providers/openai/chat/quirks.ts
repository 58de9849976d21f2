/**
 * Differences between hosts that speak OpenAI's chat format, at a glance. Sources: `docs/providers/README.md`. The
 * catalogue overrides them by provider and by endpoint: `docs/catalog.md#quirks`.
 */
import { mergeQuirks, type QuirkMembers, type Quirks } from '../../../catalog/quirks.js';
import type { Endpoint, Provider } from '../../../catalog/types.js';

/** A host without a row, such as an operator's own server. */
const UNKNOWN: Quirks = {
  maxTokensMember: 'max_tokens',
  developerRole: false,
  streamOptions: { include_usage: true },
  // Aggregators, which pass requests on, may need it.
  cacheControl: true,
};

/** Hosts that refuse unknown members, or have no use for `cache_control`. */
const NO_CACHE_CONTROL: Quirks = { cacheControl: false };

/** Sampling parameters of open models. */
const OPEN_SAMPLING = { top_k: null, min_p: null, top_a: null, repetition_penalty: null };

const THINKING_ON: QuirkMembers = { thinking: { type: 'enabled' } };
const THINKING_OFF: QuirkMembers = { thinking: { type: 'disabled' } };

const OPENAI: Quirks = {
  ...NO_CACHE_CONTROL,
  maxTokensMember: 'max_completion_tokens',
  developerRole: true,
  streamOptions: { include_usage: true, include_obfuscation: false },
  members: OPEN_SAMPLING,
};

const AZURE: Quirks = {
  ...NO_CACHE_CONTROL,
  members: OPEN_SAMPLING,
  apiVersion: 'v1',
};

const ALIBABA: Quirks = {
  ...NO_CACHE_CONTROL,
  reasoningOn: { enable_thinking: true },
  reasoningOff: { enable_thinking: false },
};

const MOONSHOT: Quirks = {
  ...NO_CACHE_CONTROL,
  reasoningMember: 'reasoning_content',
  reasoningOff: THINKING_OFF,
};

interface Row {
  /** Hosts of its API. If there are none, providers are recognised only by their slug. */
  readonly hosts: readonly string[];
  readonly quirks: Quirks;
  /** Quirks of models, from the first row whose id matches. */
  readonly models?: readonly { readonly id: RegExp; readonly quirks: Quirks }[];
}

/** By the provider's slug. */
const TABLE: Readonly<Record<string, Row>> = {
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
    quirks: { ...NO_CACHE_CONTROL, maxTokensMember: 'max_completion_tokens', members: { verbosity: null } },
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
  xai: { hosts: ['api.x.ai'], quirks: { maxTokensMember: 'max_completion_tokens' } },
  'z-ai': {
    hosts: ['api.z.ai', 'open.bigmodel.cn'],
    quirks: { reasoningOn: THINKING_ON, reasoningOff: THINKING_OFF },
  },
};

const BY_HOST: ReadonlyMap<string, Row> = new Map(
  Object.values(TABLE).flatMap((row) => row.hosts.map((host): [string, Row] => [host, row])),
);

const known = new WeakMap<Endpoint, { readonly host: string; readonly quirks: Quirks }>();

/**
 * The quirks of an endpoint that is called at this host: the host's, else those of the provider with this slug (as
 * behind a proxy). The catalogue overrides them.
 */
export function quirksOf(endpoint: Endpoint, { slug }: Pick<Provider, 'slug'>, host: string): Quirks {
  const found = known.get(endpoint);
  if (found?.host === host) return found.quirks;
  const row = BY_HOST.get(host) ?? (Object.hasOwn(TABLE, slug) ? TABLE[slug] : undefined);
  const ofModel = row?.models?.find(({ id }) => id.test(endpoint.modelId))?.quirks;
  const quirks = mergeQuirks(UNKNOWN, row?.quirks, ofModel, endpoint.quirks);
  known.set(endpoint, { host, quirks });
  return quirks;
}
