/** Describes how an attempt fails, in terms that are the same for all protocols. */
import { type Metadata, Problem } from '../../base/problem.js';

/**
 * - `invalid_request`: the provider refuses the request as invalid.
 * - `auth`: it refuses the credential.
 * - `quota`: the account behind the credential has no balance or quota left, which no waiting mends.
 * - `rate_limit`: it limits requests, or is overloaded.
 * - `upstream_error`: it fails in any other way, or can't be reached.
 * - `content_filter`: it refuses the content, which ends the plan.
 * - `cancelled`: the client went away.
 * - `shut_down`: this process stops.
 */
export type FailureKind =
  | 'invalid_request'
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'upstream_error'
  | 'content_filter'
  | 'cancelled'
  | 'shut_down';

/** Why no connection could be made: the host's name, its certificate, the gateway's own proxy, or anything else. */
export type NetworkReason = 'connect' | 'dns' | 'proxy' | 'tls';

/** What callers are told about all of these, unless they may know more. */
export const UNREACHABLE = 'No connection to the provider could be made';

/** Details of a network error. */
export interface NetworkDetail {
  /** The code of Node or OpenSSL, such as `ECONNREFUSED`; `PROXY_` and the status if it is the proxy's answer. */
  readonly code: string;
  /** What went wrong, as the end of a sentence; null if only the code says it, or nobody may know. */
  readonly what: string | null;
  /** What to do about it, as the end of a sentence; null if there is no advice. */
  readonly advice: string | null;
}

/**
 * What went wrong, if no HTTP status says it. `internal` is an error of the gateway itself, and `shutting_down` means
 * that it stops. `in_flight_limit` is an attempt that was not made because the account may have no more requests in
 * flight at the provider.
 */
export type FailureCode =
  | NetworkReason
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'malformed'
  | 'credential'
  | 'cancelled'
  | 'shutting_down'
  | 'in_flight_limit'
  | 'internal';

/** A longer message of a provider is cut. Real messages fit; an HTML page does not. */
const MAX_MESSAGE_CHARACTERS = 1000;

/** Maximum of the error's code, type and parameter, which have a few dozen characters. */
const MAX_WORD_CHARACTERS = 200;

/** The provider's own words for an error, which clients may act on. */
export interface ProviderError {
  readonly code: string | null;
  readonly type: string | null;
  /** The member of the request that it is about. */
  readonly param: string | null;
}

/** The words of a message from which alone a kind follows. */
export interface Wording {
  /** The phrase of the message. The provider may only repeat it from the request. */
  readonly phrase: string;
  /** What the failure is if the phrase is the request's. */
  readonly otherwise: { readonly kind: FailureKind; readonly retryAfterMs: number | null };
}

interface FailureFields {
  readonly kind: FailureKind;
  /** null if the kind follows from status, code or type. */
  readonly wording?: Wording | null;
  /** HTTP status of the provider's answer; null when none came. */
  readonly status?: number | null;
  readonly error?: FailureCode;
  readonly providerError?: Partial<ProviderError>;
  /** The whole body of a refused native request, for a client that speaks the provider's format. */
  readonly body?: string | null;
  /** How long the provider asks to wait before the same key is tried again. */
  readonly retryAfterMs?: number | null;
  /** Whether it counts against the endpoint and the key; default true. */
  readonly isPenalised?: boolean;
  readonly network?: NetworkDetail | null;
  /** Told to the caller, with the message. */
  readonly told?: Metadata;
  /** For the log only. */
  readonly cause?: unknown;
}

/** Thrown by adapters. The message may be shown to callers, so it must contain no secret. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly kind: FailureKind;
  readonly wording: Wording | null;
  readonly status: number | null;
  readonly error: FailureCode | null;
  /** Members of this object, since redaction looks at one text at a time. */
  readonly providerCode: string | null;
  readonly providerType: string | null;
  readonly providerParam: string | null;
  readonly body: string | null;
  readonly retryAfterMs: number | null;
  readonly isPenalised: boolean;
  readonly network: NetworkDetail | null;
  readonly told: Metadata;

  constructor(message: string, fields: FailureFields) {
    super(
      message.slice(0, MAX_MESSAGE_CHARACTERS),
      fields.cause === undefined ? undefined : { cause: fields.cause },
    );
    this.kind = fields.kind;
    this.wording = fields.wording ?? null;
    this.status = fields.status ?? null;
    this.error = fields.error ?? null;
    this.providerCode = wordOf(fields.providerError?.code);
    this.providerType = wordOf(fields.providerError?.type);
    this.providerParam = wordOf(fields.providerError?.param);
    this.body = fields.body ?? null;
    this.retryAfterMs = fields.retryAfterMs ?? null;
    this.isPenalised = fields.isPenalised ?? true;
    this.network = fields.network ?? null;
    this.told = fields.told ?? {};
  }

  /** null if the provider sent only a message. */
  get providerError(): ProviderError | null {
    const { providerCode: code, providerType: type, providerParam: param } = this;
    return code === null && type === null && param === null ? null : { code, type, param };
  }
}

/** Whether the attempt was not made because the account may have no more requests in flight there. */
export function isUnsent(thrown: unknown): thrown is UpstreamFailure {
  return thrown instanceof UpstreamFailure && thrown.error === 'in_flight_limit';
}

/** The message, with what went wrong and its code if they are known. */
export function explained({ message, network }: UpstreamFailure): string {
  return network === null || network.what === null
    ? message
    : `${message}: ${network.what} (${network.code})`;
}

/** Whether nothing was sent because no connection could be made. */
export function isUnconnected({ error }: Pick<UpstreamFailure, 'error'>): boolean {
  return error === 'connect' || error === 'dns' || error === 'proxy' || error === 'tls';
}

/** Whether the request itself can't be sent, whatever the provider would answer. */
export function isOfRequest(thrown: unknown): thrown is UpstreamFailure {
  return thrown instanceof UpstreamFailure && thrown.kind === 'invalid_request' && !thrown.isPenalised;
}

function wordOf(word: string | null | undefined): string | null {
  return word?.slice(0, MAX_WORD_CHARACTERS) || null;
}

const KIND_BY_STATUS: ReadonlyMap<number, FailureKind> = new Map([
  [400, 'invalid_request'],
  [404, 'invalid_request'],
  [413, 'invalid_request'],
  [422, 'invalid_request'],
  [401, 'auth'],
  [402, 'quota'],
  [403, 'auth'],
  [429, 'rate_limit'],
  [529, 'rate_limit'],
]);

/** The kind of failure that the HTTP status alone shows. Adapters may know better from the body. */
export function kindOfStatus(status: number): FailureKind {
  return KIND_BY_STATUS.get(status) ?? 'upstream_error';
}

/** Whether the database is the cause, so that neither the provider nor the key is to blame. */
export function isDatabaseAway(cause: unknown): cause is Problem {
  return cause instanceof Problem && cause.reason === 'database_unavailable';
}
