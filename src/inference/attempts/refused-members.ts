/**
 * Which members of a request a provider's refusal names as unsupported. Sources of the words:
 * `docs/providers/README.md#refusals-that-are-learned-from`.
 */
import type { UpstreamFailure } from './failure.js';

/**
 * The members that a request can be served without, by the names that providers have for them. Never what the request is
 * about, nor what changes who may keep it: messages, tools, formats, `store`.
 */
const ADAPTABLE: ReadonlyMap<string, string> = new Map([
  ...[
    'temperature',
    'top_p',
    'top_k',
    'min_p',
    'top_a',
    'frequency_penalty',
    'presence_penalty',
    'repetition_penalty',
    'seed',
    'stop',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'max_tokens',
    'max_completion_tokens',
    'parallel_tool_calls',
    'reasoning_effort',
    'verbosity',
    'service_tier',
    'stream_options',
    'user',
    'prompt_cache_key',
    'safety_identifier',
    'prediction',
    'context_management',
  ].map((name): [string, string] => [name, name]),
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
  ['random_seed', 'seed'],
  ['stop_sequences', 'stop'],
  ['stopSequences', 'stop'],
  ['reasoning', 'reasoning_effort'],
  ['thinking', 'reasoning_effort'],
  ['enable_thinking', 'reasoning_effort'],
  ['include_usage', 'stream_options'],
]);

/** Azure's path without a version, where a resource does not have it. */
export const API_VERSION = 'api_version';

/** Starts the name of a beta feature of Anthropic's. */
export const BETA = 'anthropic-beta:';

/**
 * The members that the refusal names, in the chat format's names; beta features with `BETA` before their value. Empty
 * for any other failure, and where a request can't do without one of them.
 */
export function refusedMembers({
  kind,
  message,
}: Pick<UpstreamFailure, 'kind' | 'message'>): readonly string[] {
  if (kind !== 'invalid_request') return [];
  if (message === 'Resource not found') return [API_VERSION];
  if (message.includes(BETA_HEADER)) return refusedBetas(message);
  // Amazon's words, which name no feature.
  if (message.includes('invalid beta flag')) return [ALL_BETAS];
  const named = PATTERNS.flatMap((pattern) =>
    [...message.matchAll(pattern)].flatMap(([, names = '']) => names.split(/,\s?/)),
  );
  const members = named.map((name) => ADAPTABLE.get(topLevelName(name)));
  return members.includes(undefined) ? [] : [...new Set(members.flatMap((name) => name ?? []))];
}

/** The member as one of a few words: features have any name. */
export function kindOfMember(member: string): string {
  return member.startsWith(BETA) ? 'anthropic-beta' : member;
}

/** All beta features that a call names. */
export const ALL_BETAS = `${BETA}*`;

const BETA_HEADER = 'for the `anthropic-beta` header';

function refusedBetas(message: string): readonly string[] {
  const values = [...message.matchAll(/`([\w.-]{1,100})`/g)].flatMap(([, value = '']) => value);
  return values.filter((value) => value !== 'anthropic-beta').map((value) => `${BETA}${value}`);
}

/** Each has the name, or a list of names, as its group. */
const PATTERNS: readonly RegExp[] = [
  /Unsupported (?:parameter|value): '([\w.]{1,100})'/g,
  /Unrecognized request arguments? supplied: ([\w., ]{1,300})/g,
  /Model incompatible request arguments? supplied: ([\w., ]{1,300})/g,
  /Unknown parameter: '([\w.]{1,100})'/g,
  /([\w.]{1,100}): Extra inputs are not permitted/g,
  /Extra inputs are not permitted, field: '([\w.]{1,100})'/g,
  /property '([\w.]{1,100})' is unsupported/g,
  /[`'"]([\w.]{1,100})[`'"] is (?:not supported|unsupported|deprecated)/g,
  /Argument not supported on this model: ([\w.]{1,100})/g,
  /does not support parameter:? '?([\w.]{1,100})/g,
  /Unknown name "([\w.]{1,100})"/g,
  /extraneous key \[([\w.]{1,100})\]/g,
];

/** Objects of the request that members are named below of. */
const BELOW = /^(?:body|generation_?[cC]onfig|inferenceConfig|additionalModelRequestFields)\./;

/** Members with members of their own, which go as a whole. */
const WHOLE = /^(stream_options|reasoning|thinking)\.\w+$/;

/** A deeper member is no member of the request, and so none that can be left out. */
function topLevelName(name: string): string {
  return name.replace(BELOW, '').replace(WHOLE, '$1');
}
