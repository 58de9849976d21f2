/**
 * The port to a provider's protocol. An adapter makes exactly one request per call (plus one to refresh an expired
 * token), never retries, and has no timeouts of its own: `signal` is aborted when one has passed.
 */
import type { JsonText } from '../../base/json/json-text.js';
import type { PushStream } from '../../base/push-stream.js';
import type { Signal } from '../../base/signal.js';
import type { HostHeaders } from '../../byok/keys/host-headers.js';
import type { Endpoint, Provider } from '../../catalog/types.js';
import type {
  AnswerChoice,
  ChatBody,
  ChunkDelta,
  FinishReason,
  JsonObject,
} from '../../formats/chat/types.js';
import type { Metered } from '../../ledger/price.js';
import type { Reasoning } from '../reasoning/reasoning.js';
import type { NativeRequest } from './inference-request.js';

/** Implements one protocol. `Credential` is the form in which `openCredential` returns the credentials of its providers. */
export interface UpstreamAdapter<Credential = unknown> {
  /** The whole answer. Rejects with `UpstreamFailure`, or promptly with anything once `signal` is aborted. */
  complete(call: UpstreamCall<Credential>): Promise<UpstreamAnswer>;
  /**
   * The answer as it comes: what one read of the network brings is pushed at once, and nothing is read while the sink
   * takes nothing. Ends when the provider signals the end, fails as `complete` does. Closing releases the connection.
   */
  stream(call: UpstreamCall<Credential>): PushStream<UpstreamEvent>;
  /** The tokens of a native request's prompt, where the provider counts them. Rejects as `complete` does. */
  countTokens?(call: UpstreamCall<Credential>): Promise<number>;
}

/** Whose call it is, by which accounts share the connections to a host. */
export interface Tenancy {
  readonly accountId: string;
  /** Whether the host is called with a credential of the account's own, over connections apart from the operator's. */
  readonly isByok: boolean;
  /** Whether the call waits where the account may have no connection now; otherwise it fails at once. */
  readonly mayWait: boolean;
}

export interface UpstreamCall<Credential = unknown> {
  readonly tenancy: Tenancy;
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  /** The region to call; null = global. */
  readonly region: string | null;
  readonly credential: Credential;
  /** What the provider's own host gets with the call. */
  readonly hostHeaders?: HostHeaders;
  /** `model` is the provider's own id; the gateway's own members are removed. */
  readonly body: ChatBody;
  /** Replaces the reasoning members of `body`; null leaves reasoning to the provider. */
  readonly reasoning: Reasoning | null;
  /** Beta features of Anthropic's that the client has named for this request. */
  readonly betas?: readonly string[];
  /** The request in the endpoint's own format: sent instead of `body`, and answered in that format too. */
  readonly native?: NativeCall;
  readonly signal: Signal;
  /** To be called for each member of `body` that is not sent as it is, by the chat format's name. */
  readonly onAdapted?: (name: string, adaptation: Adaptation) => void;
  /** To be called when a successful status has come, before the body is read. */
  onFirstByte(): void;
  /** To be called for every piece of the body of a stream, whether or not it makes an event. */
  readonly onBytes?: () => void;
}

/** How a member is sent: not at all, or spelled otherwise or with another value. */
export type Adaptation = 'left_out' | 'changed';

/** What of a native request is sent. */
export type NativeCall = Pick<NativeRequest, 'format' | 'body' | 'version'>;

/** Tokens as the provider counts them. A count that it leaves out is missing, not 0. */
export type UpstreamUsage = Partial<Metered>;

/** A complete answer, in the chat format. */
export interface UpstreamAnswer {
  readonly choices: readonly AnswerChoice[];
  readonly usage: UpstreamUsage;
  readonly systemFingerprint: string | null;
  /** What else the provider says of the answer, beside its choices. */
  readonly members?: JsonObject;
  /** The answer to a native request as it came. */
  readonly native?: JsonObject;
}

/**
 * An event of a streamed answer. Every fragment of a tool call has its `index`; `id`, `type` and `name` come once. Each
 * choice ends with one `finish`. Usage may come before or after it; a later snapshot overrides member by member.
 */
export type UpstreamEvent =
  | {
      readonly type: 'delta';
      readonly index: number;
      readonly delta: ChunkDelta;
      readonly logprobs?: JsonObject;
    }
  | {
      readonly type: 'finish';
      readonly index: number;
      readonly reason: FinishReason;
      readonly nativeReason: string | null;
    }
  | { readonly type: 'usage'; readonly usage: UpstreamUsage }
  | { readonly type: 'fingerprint'; readonly fingerprint: string }
  /** Members of the answer that are new or changed. */
  | { readonly type: 'members'; readonly members: JsonObject }
  | NativeEvent;

/** An event of the answer to a native request as it came, and what it tells in terms of a chat. */
export interface NativeEvent {
  readonly type: 'native';
  readonly event: JsonText;
  readonly told: readonly ToldEvent[];
}

export type ToldEvent = Exclude<UpstreamEvent, NativeEvent>;
