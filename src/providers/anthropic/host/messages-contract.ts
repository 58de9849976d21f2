/** What hosts of Claude take of a Messages request: `docs/providers/anthropic.md#contract`, with sources. */
import { type MessagesContract, THINKING_FORMS } from '../../../catalog/messages-contract.js';
import type { Endpoint } from '../../../catalog/types.js';
import { type ModelTraits, traitsOf } from './model.js';

/** What depends on the host alone. */
export type HostFacts = Pick<
  MessagesContract,
  | 'members'
  | 'missing'
  | 'toolMembers'
  | 'missingTools'
  | 'requestBreakpoint'
  | 'scopeBeta'
  | 'addresses'
  | 'files'
> & {
  /** Whether newer models take messages of the system amid a conversation here. */
  readonly systemTurns: boolean;
};

/** Anthropic's own API, and providers that copy it. Members that are not known are sent, and learned from if refused. */
export const AT_ANTHROPIC: HostFacts = {
  members: null,
  missing: new Set(),
  toolMembers: new Map(),
  missingTools: [],
  requestBreakpoint: true,
  scopeBeta: 'prompt-caching-scope-2026-01-05',
  addresses: true,
  files: true,
  systemTurns: true,
};

const DECIDED_BY_DEPLOYMENT: ReadonlySet<string> = new Set(['inference_geo', 'speed']);

/** Claude at Microsoft Foundry, which has Anthropic's API, and deployments of their own for speed and place. */
export const AT_FOUNDRY: HostFacts = {
  ...AT_ANTHROPIC,
  members: { has: (name) => !DECIDED_BY_DEPLOYMENT.has(name) },
  missing: new Set(['inference_geo']),
  systemTurns: false,
};

export const PLATFORM_MEMBERS: readonly string[] = [
  ...['cache_control', 'compaction', 'context_management', 'max_tokens', 'messages', 'metadata', 'model'],
  ...['output_config', 'output_format', 'stop_sequences', 'stream', 'system', 'temperature', 'thinking'],
  ...['tool_choice', 'tools', 'top_k', 'top_p'],
];

/** What none of the platforms has that sell Claude over an API of their own. */
export const AT_PLATFORMS: HostFacts = {
  members: new Set(PLATFORM_MEMBERS),
  missing: new Set(['container', 'inference_geo', 'mcp_servers', 'thread']),
  toolMembers: new Map([
    ['eager_input_streaming', null],
    ['defer_loading', 'tool-search-tool-2025-10-19'],
    ['input_examples', 'tool-examples-2025-10-29'],
  ]),
  missingTools: ['advisor_', 'code_execution_', 'mcp_toolset', 'web_fetch_'],
  requestBreakpoint: false,
  scopeBeta: null,
  addresses: false,
  files: false,
  systemTurns: false,
};

type Named = Pick<Endpoint, 'upstreamModelId' | 'modelId'>;

/** By host and endpoint, since a request is short and a contract is not made for nothing. */
const made = new WeakMap<HostFacts, WeakMap<Named, MessagesContract>>();

export function messagesContract(endpoint: Named, host: HostFacts): MessagesContract {
  const known = made.get(host) ?? new WeakMap<Named, MessagesContract>();
  if (!made.has(host)) made.set(host, known);
  const contract = known.get(endpoint) ?? contractOf(endpoint, host);
  known.set(endpoint, contract);
  return contract;
}

/** The model is told by the name that tells its generation. */
function contractOf({ upstreamModelId, modelId }: Named, host: HostFacts): MessagesContract {
  const id = upstreamModelId.includes('claude') ? upstreamModelId : modelId;
  const traits = traitsOf(id);
  const model = traits.isNumbered ? claude(traits) : ANY_MODEL;
  const signedThoughts = id.includes('claude');
  return {
    ...COMMON,
    ...host,
    ...model,
    signedThoughts,
    systemTurns: host.systemTurns && traits.takesSystemTurns,
  };
}

const COMMON = {
  maxBreakpoints: 4,
  images: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  maxToolName: 128,
} as const;

type ModelFacts = Pick<
  MessagesContract,
  'prefill' | 'thinking' | 'thinksByDefault' | 'efforts' | 'sampling' | 'schemas'
>;

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Models of others in Anthropic's format, and those whose generation nobody knows. */
const ANY_MODEL: ModelFacts = {
  prefill: true,
  thinking: THINKING_FORMS,
  thinksByDefault: false,
  efforts: EFFORTS,
  sampling: 'both',
  schemas: true,
};

function claude(traits: ModelTraits): ModelFacts {
  return {
    prefill: traits.takesPrefill,
    thinking: THINKING_FORMS.filter((form) => isTaken(form, traits)),
    thinksByDefault: traits.thinksByDefault,
    efforts: effortsOf(traits),
    sampling: !traits.takesSampling ? 'none' : traits.takesBothSamplings ? 'both' : 'one',
    schemas: traits.takesSchemas,
  };
}

function isTaken(
  form: (typeof THINKING_FORMS)[number],
  { thinking, takesBudget, canStopThinking }: ModelTraits,
): boolean {
  if (form === 'disabled') return canStopThinking;
  return form === 'adaptive' ? thinking === 'adaptive' : thinking !== 'none' && takesBudget;
}

function effortsOf({ takesEffort, hasExtraHigh, thinking }: ModelTraits): readonly string[] {
  if (!takesEffort) return [];
  const isLate = thinking === 'adaptive';
  return EFFORTS.filter((effort) => (effort === 'xhigh' ? hasExtraHigh : effort !== 'max' || isLate));
}
