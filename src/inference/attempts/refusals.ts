/**
 * Reads what a provider's refusal says: which members it does not support, and whether the endpoint can answer at all.
 * The words are the providers' own; sources: `docs/providers/README.md#refusals-that-are-learned-from`.
 */

import type { ContextOverflow } from '../../formats/context-overflow.js';
import type { UpstreamFailure } from '../ports/failure.js';
import type { CallFeature, HostRefusals } from '../ports/refusals.js';
import { type CallerText, hasQuotation } from './caller-text.js';

/**
 * Members that a request can be served without. Never what the request is about, nor what changes who may store it:
 * messages, tools, formats, `store`.
 */
const ADAPTABLE = [
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
  'prompt_cache_retention',
  'truncation',
  'client_metadata',
];

/** A member that a refusal names. */
export interface RefusedMember {
  /** As spelled in the chat format, or the name of a feature. */
  readonly name: string;
  /**
   * Whether later requests leave the member out too: the provider said that it does not support the member, whatever
   * its value. If false, only this request is sent without it.
   */
  readonly isTaught: boolean;
  /** Whether the provider names several members by one word, of which the request may have some only. */
  readonly isOfGroup?: boolean;
}

/** What of a failure shows which members are refused. */
export type Refusal = Pick<UpstreamFailure, 'kind' | 'message'> &
  Partial<Pick<UpstreamFailure, 'providerCode' | 'providerParam'>>;

/** Ends the name that stands for all features of a kind. */
const ANY = '*';

/** Members that are adapted for reasons other than a refusal. */
const ALSO_COUNTED: readonly string[] = ['metadata', 'n', 'store'];

/**
 * Error codes about a value: `invalid_value`, `unsupported_value`, `decimal_above_max_value`,
 * `string_above_max_length`, ...
 */
const VALUE_CODE = /_(?:value|type|length)$/;

/**
 * Members that words alone never teach to leave out: without `stream_options` a stream has no usage, and without its
 * limit an answer no end.
 */
const NOT_BY_WORDS: ReadonlySet<string> = new Set(['stream_options', 'max_tokens', 'max_completion_tokens']);

/** Members of objects that are left out as a whole. */
const WHOLE = /^(stream_options|reasoning|thinking)\.\w+$/;

/** Reads refusals in the words of all providers. */
export class Refusals {
  readonly #hosts: readonly HostRefusals[];
  /** The chat format's names of members that may be left out, by the providers' names for them. */
  readonly #adaptable: ReadonlyMap<string, string>;
  readonly #below: ReadonlySet<string>;
  readonly #codes: ReadonlySet<string>;
  readonly #counted: ReadonlySet<string>;
  readonly #groups: ReadonlyMap<string, readonly string[]>;
  readonly #supportWords: readonly RegExp[];
  readonly #valueWords: readonly RegExp[];

  constructor(byProvider: Readonly<Record<string, HostRefusals>>) {
    const hosts = Object.values(byProvider);
    this.#hosts = hosts;
    this.#adaptable = new Map([
      ...ADAPTABLE.map((name): [string, string] => [name, name]),
      ...hosts.flatMap(({ members = {} }) => Object.entries(members)),
    ]);
    this.#groups = new Map(hosts.flatMap(({ groups = {} }) => Object.entries(groups)));
    this.#below = new Set(hosts.flatMap(({ below = [] }) => below));
    this.#codes = new Set(hosts.flatMap(({ unsupportedCodes = [] }) => unsupportedCodes));
    this.#supportWords = hosts.flatMap(({ unsupported = [] }) => unsupported);
    this.#valueWords = hosts.flatMap(({ unsupportedValue = [] }) => unsupportedValue);
    this.#counted = new Set([...this.#adaptable.keys(), ...ALSO_COUNTED]);
  }

  /**
   * The members that the refusal names. Empty for any other failure, if the request can't do without one of them, and
   * if the provider may only repeat the request's own words.
   */
  membersIn(refusal: Refusal, request: CallerText): readonly RefusedMember[] {
    if (refusal.kind !== 'invalid_request') return [];
    const coded = this.#codedMember(refusal);
    if (coded !== undefined) return [coded];
    return this.#featuresIn(refusal, request) ?? this.#wordedMembers(refusal, request);
  }

  /**
   * Whether the provider says, in words that the request does not contain, that the endpoint can't answer any such
   * request.
   */
  saysUnsupported(
    { kind, message }: Pick<UpstreamFailure, 'kind' | 'message'>,
    request: CallerText,
  ): boolean {
    if (kind !== 'invalid_request') return false;
    return this.#hosts.some(({ unsupportedEndpoint = [] }) =>
      unsupportedEndpoint.some((words) => {
        const found = words.exec(message);
        return found !== null && !hasQuotation(message.slice(0, found.index)) && !request.says(found[0]);
      }),
    );
  }

  /** By how much the request is too long for the model, where the provider says that it is; undefined for any other failure. */
  overflowIn({ kind, message, providerCode }: Refusal, request: CallerText): ContextOverflow | undefined {
    if (kind !== 'invalid_request') return undefined;
    const found = this.#hosts
      .flatMap(({ overflow = [] }) => overflow)
      .map((words) => words.exec(message))
      .find((match) => match !== null && !request.says(match[0]));
    const isCoded = this.#hosts.some(({ overflowCodes = [] }) => overflowCodes.includes(providerCode ?? ''));
    if (found == null && !isCoded) return undefined;
    const { tokens, limit } = found?.groups ?? {};
    return { tokens: countIn(tokens), limit: countIn(limit) };
  }

  /** The feature of this name; undefined for that of a member. */
  featureOf(name: string): CallFeature | undefined {
    for (const { features = [] } of this.#hosts) {
      const feature = features.find(({ kind }) => name === kind || name.startsWith(`${kind}:`));
      if (feature !== undefined) return feature;
    }
    return undefined;
  }

  /** A member's name as one of a fixed set: clients give features and members any name. */
  kindOf(member: string): string {
    return this.featureOf(member)?.kind ?? (this.#counted.has(member) ? member : 'other');
  }

  #codedMember({ providerCode, providerParam }: Refusal): RefusedMember | undefined {
    if (!providerParam || !this.#codes.has(providerCode ?? '')) return undefined;
    const name = this.#nameOf(providerParam);
    return name === undefined ? undefined : { name, isTaught: true };
  }

  /** undefined if the refusal is about no feature. */
  #featuresIn({ message }: Refusal, request: CallerText): readonly RefusedMember[] | undefined {
    for (const { featureWords = [] } of this.#hosts) {
      for (const { kind, namedIn } of featureWords) {
        const named = namedIn(message);
        if (named === undefined) continue;
        const { names, phrase, isTaught = true } = named;
        if (phrase !== null && request.says(phrase)) return [];
        return (names ?? [anyOf(kind)]).map((name) => ({ name, isTaught }));
      }
    }
    return undefined;
  }

  #wordedMembers(
    { message, providerCode, providerParam }: Refusal,
    request: CallerText,
  ): readonly RefusedMember[] {
    const param = providerParam ? this.#nameOf(providerParam) : null;
    const isOfValue = VALUE_CODE.test(providerCode ?? '');
    const members = new Map<string, RefusedMember>();
    for (const { phrase, names, isSupport } of this.#phrasesIn(message)) {
      if (request.says(phrase)) return [];
      const group = names.flatMap((name) => this.#groups.get(name) ?? []);
      for (const named of group.length > 0 ? group : names) {
        const name = this.#nameOf(named);
        const isParam = param !== null && param === name;
        if (name === undefined || request.has(named) || (param !== null && !isParam)) return [];
        const isTaught =
          isSupport && !isOfValue && (isParam || !(NOT_BY_WORDS.has(name) || request.namesBelow(named)));
        members.set(name, { name, isTaught, ...(group.length > 0 && { isOfGroup: true }) });
      }
    }
    return [...members.values()];
  }

  /** The phrases in the order of the message, up to the first quotation. */
  #phrasesIn(message: string): readonly Phrase[] {
    const found = [
      ...this.#supportWords.flatMap((pattern) => phrasesOf(message, pattern, true)),
      ...this.#valueWords.flatMap((pattern) => phrasesOf(message, pattern, false)),
    ];
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

  /** undefined for a nested member, which can't be left out on its own. */
  #nameOf(named: string): string | undefined {
    const dot = named.indexOf('.');
    const name = dot > 0 && this.#below.has(named.slice(0, dot)) ? named.slice(dot + 1) : named;
    return this.#adaptable.get(name.replace(WHOLE, '$1'));
  }
}

interface Phrase {
  readonly index: number;
  readonly phrase: string;
  readonly names: readonly string[];
  /** Whether the phrase is about the member itself, not about its value. */
  readonly isSupport: boolean;
}

function phrasesOf(message: string, pattern: RegExp, isSupport: boolean): Phrase[] {
  return [...message.matchAll(pattern)].map(({ index, 0: phrase, 1: names = '' }) => ({
    index,
    phrase,
    names: names.split(/,\s?/),
    isSupport,
  }));
}

/** null for what is no number. */
function countIn(digits: string | undefined): number | null {
  const count = Number(digits?.replaceAll(',', ''));
  return Number.isSafeInteger(count) ? count : null;
}

/** The name of all features of a kind. */
export function anyOf(kind: string): string {
  return `${kind}:${ANY}`;
}
