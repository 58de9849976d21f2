/**
 * Which members of a request a provider's refusal names as unsupported. Sources of the words:
 * `docs/providers/README.md#refusals-that-are-learned-from`.
 */

import type { UpstreamFailure } from '../ports/failure.js';
import { type CallerText, hasQuotation } from './caller-text.js';

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

/** All beta features that a call names. */
export const ALL_BETAS = `${BETA}*`;

/** A member that a refusal names. */
export interface RefusedMember {
  /** In the chat format's spelling; beta features with `BETA` before their value. */
  readonly name: string;
  /**
   * Whether later requests do without it: the provider has said that it does not support the member, whatever its value.
   * Otherwise only the request at hand is sent without it.
   */
  readonly isTaught: boolean;
}

/** What of a failure tells which members it refuses. */
export type Refusal = Pick<UpstreamFailure, 'kind' | 'message'> &
  Partial<Pick<UpstreamFailure, 'providerCode' | 'providerParam'>>;

/**
 * The members that the refusal of a request names. Empty for any other failure, where the request can't do without one of
 * them, and where the provider may only repeat what the request itself says.
 */
export function refusedMembers(refusal: Refusal, request: CallerText): readonly RefusedMember[] {
  const { kind, message } = refusal;
  if (kind !== 'invalid_request') return [];
  const coded = codedMember(refusal);
  if (coded !== undefined) return [coded];
  if (message === NO_RESOURCE) return [{ name: API_VERSION, isTaught: true }];
  if (message.includes(BETA_HEADER)) return refusedBetas(message, request);
  // Amazon's words, which name no feature.
  if (INVALID_FLAG.test(message)) return [{ name: ALL_BETAS, isTaught: true }];
  return wordedMembers(refusal, request);
}

/** Members that are adapted for other reasons than a refusal. */
const ALSO_COUNTED: ReadonlySet<string> = new Set([API_VERSION, 'metadata', 'n', 'store']);

/** A member as one of a few words: clients give features and members of their own any name. */
export function kindOfMember(member: string): string {
  if (member.startsWith(BETA)) return 'anthropic-beta';
  return ADAPTABLE.has(member) || ALSO_COUNTED.has(member) ? member : 'other';
}

const NO_RESOURCE = 'Resource not found';
const INVALID_FLAG = /^invalid beta flag\.?$/;

/** Codes that say by themselves that the member in `param` is not supported: https://platform.openai.com/docs/guides/error-codes */
const UNSUPPORTED_CODES: ReadonlySet<string> = new Set(['unsupported_parameter', 'unknown_parameter']);

/** Codes about a value: `invalid_value`, `unsupported_value`, `decimal_above_max_value`, `string_above_max_length`, ... */
const VALUE_CODE = /_(?:value|type|length)$/;

function codedMember({ providerCode, providerParam }: Refusal): RefusedMember | undefined {
  if (!providerParam || !UNSUPPORTED_CODES.has(providerCode ?? '')) return undefined;
  const name = ADAPTABLE.get(topLevelName(providerParam));
  return name === undefined ? undefined : { name, isTaught: true };
}

/** Without `stream_options` a stream has no usage, and without its limit an answer no end: words alone don't teach them. */
const NOT_BY_WORDS: ReadonlySet<string> = new Set(['stream_options', 'max_tokens', 'max_completion_tokens']);

function wordedMembers(
  { message, providerCode, providerParam }: Refusal,
  request: CallerText,
): readonly RefusedMember[] {
  const param = providerParam ? topLevelName(providerParam) : null;
  const isOfValue = VALUE_CODE.test(providerCode ?? '');
  const members = new Map<string, RefusedMember>();
  for (const { phrase, names, isSupport } of phrasesIn(message)) {
    if (request.says(phrase)) return [];
    for (const named of names) {
      const name = ADAPTABLE.get(topLevelName(named));
      const isParam = param !== null && ADAPTABLE.get(param) === name;
      if (name === undefined || request.has(named) || (param !== null && !isParam)) return [];
      const isTaught =
        isSupport && !isOfValue && (isParam || !(NOT_BY_WORDS.has(name) || request.namesBelow(named)));
      members.set(name, { name, isTaught });
    }
  }
  return [...members.values()];
}

interface Phrase {
  readonly phrase: string;
  readonly names: readonly string[];
  /** Whether it is about the member, not about its value. */
  readonly isSupport: boolean;
}

/** The phrases in the order of the message, as far as nothing is quoted before or between them. */
function phrasesIn(message: string): readonly Phrase[] {
  const found = [...SUPPORT, ...VALUE].flatMap((pattern) =>
    [...message.matchAll(pattern)].map(({ index, 0: phrase, 1: names = '' }) => ({
      index,
      phrase,
      names: names.split(/,\s?/),
      isSupport: SUPPORT.includes(pattern),
    })),
  );
  const phrases: Phrase[] = [];
  let end = 0;
  for (const one of found.sort((a, b) => a.index - b.index)) {
    if (one.index < end) continue;
    if (hasQuotation(message.slice(end, one.index))) break;
    phrases.push(one);
    end = one.index + one.phrase.length;
  }
  return phrases;
}

const BETA_HEADER = 'for the `anthropic-beta` header';

/** Google's words, the values of the header in them. */
const UNEXPECTED_BETAS =
  /^Unexpected value\(s\) (`[\w.-]{1,100}`(?:, ?`[\w.-]{1,100}`){0,50}) for the `anthropic-beta` header/;

function refusedBetas(message: string, request: CallerText): readonly RefusedMember[] {
  const [phrase = '', values = ''] = UNEXPECTED_BETAS.exec(message) ?? [];
  if (phrase === '' || request.says(phrase)) return [];
  return values.split(/, ?/).map((value) => ({ name: `${BETA}${value.slice(1, -1)}`, isTaught: true }));
}

/** Say that the provider does not support a member. Each has the name, or a list of names, as its group. */
const SUPPORT: readonly RegExp[] = [
  /Unsupported parameter: '([\w.]{1,100})'/g,
  /Unrecognized request arguments? supplied: ([\w., ]{1,300})/g,
  /Model incompatible request arguments? supplied: ([\w., ]{1,300})/g,
  /Unknown parameter: '([\w.]{1,100})'/g,
  /(?<![\w.])([\w.]{1,100}): Extra inputs are not permitted/g,
  /Extra inputs are not permitted, field: '([\w.]{1,100})'/g,
  /property '([\w.]{1,100})' is unsupported/g,
  /[`'"]([\w.]{1,100})[`'"] is (?:not supported|unsupported|deprecated)/g,
  /Argument not supported on this model: ([\w.]{1,100})/g,
  /does not support parameter:? '?([\w.]{1,100})/g,
  /Unknown name "([\w.]{1,100})"(?: at '[\w.[\]]{1,100}')?/g,
  /extraneous key \[([\w.]{1,100})\]/g,
];

/** Say that it does not support the member's value. */
const VALUE: readonly RegExp[] = [/Unsupported value: '([\w.]{1,100})'/g];

/** Objects of the request that members are named below of. */
const BELOW = /^(?:body|generation_?[cC]onfig|inferenceConfig|additionalModelRequestFields)\./;

/** Members with members of their own, which go as a whole. */
const WHOLE = /^(stream_options|reasoning|thinking)\.\w+$/;

/** A deeper member is no member of the request, and so none that can be left out. */
function topLevelName(name: string): string {
  return name.replace(BELOW, '').replace(WHOLE, '$1');
}
