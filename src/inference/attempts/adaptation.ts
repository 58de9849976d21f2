/**
 * Adapts calls to what providers have refused of them, and remembers it for a while: `docs/routing.md#adapting-to-refusals`.
 */
import type { Clock } from '../../base/clock.js';
import { LruMap } from '../../base/memory/lru-map.js';
import { mergeQuirks, type Quirks } from '../../catalog/quirks.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { withoutBetaMembers } from '../../formats/messages/betas.js';
import type { Attempt } from '../../routing/types.js';
import type { NativeCall, UpstreamCall } from './adapter.js';
import type { UpstreamFailure } from './failure.js';
import { ALL_BETAS, API_VERSION, BETA, refusedMembers } from './refused-members.js';

/** How long a refusal is remembered: long enough to spare most requests, short enough to notice what a host has learned. */
const MEMORY_MS = 60 * 60 * 1000;

/** Refusals that are remembered, each of one endpoint with one credential. */
const MAX_REMEMBERED = 10_000;

/** An attempt that may be made in another form. */
export interface AdaptableAttempt<T> {
  /** Makes the attempt with a call that `change` may change. */
  make(change: (call: UpstreamCall) => UpstreamCall): Promise<T>;
  failureOf(thrown: unknown): UpstreamFailure;
  /** Gets the members that are changed. */
  readonly adapted: Set<string>;
}

/** What was refused, by endpoint, host and credential, so that a caller's own host teaches nobody else's. */
export class Adaptations {
  readonly #clock: Clock;
  readonly #refused = new LruMap<string, ReadonlyMap<string, number>>(MAX_REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Makes the attempt without what is known to be refused, and once more without what is refused now, where the request
   * can do without that. It is remembered once the provider refuses it no longer.
   */
  async run<T>(attempt: Attempt, { make, failureOf, adapted }: AdaptableAttempt<T>): Promise<T> {
    const known = this.#refusedAt(attempt);
    let asked: UpstreamCall | undefined;
    const makeWithout = (members: readonly string[]) =>
      make((call) => {
        const changed = adaptCall(call, members);
        asked = call;
        for (const name of changed.adapted) adapted.add(name);
        return changed.call;
      });
    try {
      return await makeWithout(known);
    } catch (thrown) {
      const refused = refusedMembers(failureOf(thrown)).filter((name) => !known.includes(name));
      if (asked === undefined || adaptCall(asked, refused).adapted.length === 0) throw thrown;
      return await this.#learn(attempt, refused, failureOf, () => makeWithout([...known, ...refused]));
    }
  }

  async #learn<T>(
    attempt: Attempt,
    refused: readonly string[],
    failureOf: AdaptableAttempt<T>['failureOf'],
    again: () => Promise<T>,
  ): Promise<T> {
    const result = again();
    await result.catch((thrown) => {
      const left = refusedMembers(failureOf(thrown));
      if (left.length === 0 || refused.some((name) => left.includes(name))) throw thrown;
    });
    const until = this.#clock.now() + MEMORY_MS;
    const learned = refused.map((name): [string, number] => [name, until]);
    const place = placeOf(attempt);
    this.#refused.set(place, new Map([...(this.#refused.get(place) ?? []), ...learned]));
    return result;
  }

  #refusedAt(attempt: Attempt): readonly string[] {
    if (this.#refused.size === 0) return [];
    const until = this.#refused.get(placeOf(attempt));
    return until === undefined
      ? []
      : [...until].flatMap(([name, at]) => (this.#clock.now() < at ? name : []));
  }
}

function placeOf({ endpoint, provider, key, region }: Attempt): string {
  return JSON.stringify([endpoint.id, provider.baseUrl, region, key?.id, key?.updatedAt]);
}

/** A call, and the members that were changed in it. */
interface AdaptedCall {
  readonly call: UpstreamCall;
  readonly adapted: readonly string[];
}

/** The call without these members, or with the other spelling of them; those that it has not change nothing. */
function adaptCall(call: UpstreamCall, members: readonly string[]): AdaptedCall {
  const adapted: string[] = [];
  const changed = members.reduce((current, name) => {
    const next = withoutMember(current, name);
    if (next !== current) adapted.push(name);
    return next;
  }, call);
  return { call: changed, adapted };
}

function withoutMember(call: UpstreamCall, name: string): UpstreamCall {
  const { body } = call;
  if (name === ALL_BETAS) return betasOf(call).reduce(withoutBeta, call);
  if (name.startsWith(BETA)) return withoutBeta(call, name.slice(BETA.length));
  if (call.native !== undefined) return withoutNativeMember(call, call.native, name);
  switch (name) {
    case 'max_tokens':
      return hasTokenLimit(body) ? withQuirks(call, { maxTokensMember: 'max_completion_tokens' }) : call;
    case 'max_completion_tokens':
      return hasTokenLimit(body) ? withQuirks(call, { maxTokensMember: 'max_tokens' }) : call;
    case 'stream_options':
      return withQuirks(call, { streamOptions: null });
    case API_VERSION:
      return call.provider.adapter === 'azure' ? withQuirks(call, { apiVersion: LATEST_DATED }) : call;
    case 'reasoning_effort':
      return call.reasoning === null ? call : { ...call, reasoning: null };
    default:
      return body[name] === undefined ? call : { ...call, body: without(body, name) };
  }
}

/** Azure's latest version with a date. */
const LATEST_DATED = '2025-04-01-preview';

function hasTokenLimit({ max_tokens, max_completion_tokens }: ChatBody): boolean {
  return max_tokens !== undefined || max_completion_tokens !== undefined;
}

function withQuirks(call: UpstreamCall, quirks: Quirks): UpstreamCall {
  return { ...call, endpoint: { ...call.endpoint, quirks: mergeQuirks(call.endpoint.quirks, quirks) } };
}

function without(body: ChatBody, name: string): ChatBody {
  const { messages, ...rest } = body;
  return { messages, ...Object.fromEntries(Object.entries(rest).filter(([member]) => member !== name)) };
}

/** Their names in the Messages format. Without any other member, a client would get another answer than it asked for. */
const NATIVE_MEMBERS: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', 'top_k'],
  ['stop', 'stop_sequences'],
  ['service_tier', 'service_tier'],
  ['user', 'metadata'],
  ['context_management', 'context_management'],
]);

function withoutNativeMember(call: UpstreamCall, native: NativeCall, name: string): UpstreamCall {
  const member = NATIVE_MEMBERS.get(name);
  if (member === undefined || native.body[member] === undefined) return call;
  const { [member]: _, ...body } = native.body;
  return { ...call, native: { ...native, body } };
}

function betasOf({ body, betas = [] }: UpstreamCall): readonly string[] {
  return [...betas, ...(Array.isArray(body.betas) ? body.betas.map(String) : [])];
}

/** Betas are named by the body, by a header, or by both; some take a member of the body with them. */
function withoutBeta(call: UpstreamCall, beta: string): UpstreamCall {
  const { body, betas: inHeader, native } = call;
  const { betas: inBody } = body;
  const isOther = (one: unknown) => one !== beta;
  const isInBody = Array.isArray(inBody) && inBody.includes(beta);
  const isInHeader = inHeader?.includes(beta) === true;
  if (!isInBody && !isInHeader) return call;
  return {
    ...call,
    ...(isInHeader && { betas: inHeader.filter(isOther) }),
    ...(native !== undefined && { native: { ...native, body: withoutBetaMembers(native.body, [beta]) } }),
    ...(isInBody && { body: { ...body, betas: inBody.filter(isOther) } }),
  };
}
