/**
 * The port to a provider's protocol. An adapter makes exactly one request per call (plus one to renew an expired
 * token), never retries, and has no timeouts of its own: `signal` is aborted when a timeout has passed.
 */
import type { JsonText } from '../../base/json/json-text.js';
import type { PushStream } from '../../base/push-stream.js';
import type { Signal } from '../../base/signal.js';
import type { HostHeaders } from '../../byok/keys/host-headers.js';
import type { Endpoint, Format, NativeFormat, Provider } from '../../catalog/types.js';
import type { ApiHeaders } from '../../formats/api-headers.js';
import type {
  AnswerChoice,
  ChatBody,
  ChunkDelta,
  FinishReason,
  JsonObject,
} from '../../formats/chat/types.js';
import type { Vector } from '../../formats/embeddings/types.js';
import type { GivenMode } from '../../formats/modes/served-mode.js';
import type { RankedDocument } from '../../formats/rerank/types.js';
import type { SessionHint } from '../../formats/session/host-hints.js';
import type { Metered } from '../../ledger/pricing/price.js';
import type { Reasoning } from '../reasoning/reasoning.js';

/** Implements one protocol. `Credential` is the form in which `openCredential` returns its providers' credentials. */
export interface UpstreamAdapter<Credential = unknown> {
  /**
   * Resolves to the whole answer. Rejects with `UpstreamFailure`, or promptly with anything once `signal` is aborted.
   */
  complete(call: UpstreamCall<Credential>): Promise<UpstreamAnswer>;
  /**
   * The answer as it arrives: what one read of the network brings is pushed at once, and nothing is read while the sink
   * takes nothing. Ends when the provider signals the end; fails as `complete` does. Closing releases the connection.
   */
  stream(call: UpstreamCall<Credential>): PushStream<UpstreamEvent>;
  /**
   * The tokens of the call's prompt; undefined if the provider has no count for its format. Rejects as `complete` does.
   */
  countTokens?(call: UpstreamCall<Credential>): Promise<number | undefined>;
}

/** The account that makes a call, by which accounts share the connections to a host. */
export interface Tenancy {
  readonly accountId: string;
  /** Whether the host is called with the account's own credential. Such calls use separate connections. */
  readonly isByok: boolean;
  /** Whether the call waits if the account may have no connection now; otherwise it fails at once. */
  readonly mayWait: boolean;
}

/** What a call of any format has. */
export interface CallCommons<Credential = unknown> {
  readonly tenancy: Tenancy;
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  /** The region to call; null = global. */
  readonly region: string | null;
  readonly credential: Credential;
  /** Headers that the operator adds to calls of the provider's own host. */
  readonly hostHeaders?: HostHeaders;
  /** The client's headers, for hosts that speak the same API. */
  readonly apiHeaders?: ApiHeaders;
  /** What the host is told of the session of the request. */
  readonly sessionHint?: SessionHint;
  readonly signal: Signal;
  /** Called for each member of a chat that is not sent as it is, with its name in the chat format. */
  readonly onAdapted?: (name: string, adaptation: Adaptation) => void;
  /** Called when the request is written to a connection. Before that nothing has been sent. */
  readonly onSent?: () => void;
  /** Called when a successful status has arrived, before the body is read. */
  onFirstByte(): void;
  /** Called before the answer to a streamed call is asked for in one piece: its first byte comes with its end. */
  readonly onWhole?: () => void;
  /** Called with what the headers of a successful answer say of its mode. They win over the body. */
  readonly onMode?: (mode: GivenMode) => void;
  /** Called for every piece of a stream's body, even if it completes no event. */
  readonly onBytes?: () => void;
}

/** The content of a call, by its format. */
export interface CallForms extends Record<NativeFormat, NativeForm> {
  readonly chat: ChatForm;
}

export interface ChatForm {
  /** `model` is the provider's own id. The gateway's own members have been removed. */
  readonly body: ChatBody;
  /** Replaces the reasoning members of `body`. null leaves reasoning to the provider. */
  readonly reasoning: Reasoning | null;
}

/** The request as it came, for an endpoint that speaks its format and answers in it. */
export interface NativeForm {
  /** Without the gateway's own members. */
  readonly body: JsonObject;
}

export type UpstreamCall<Credential = unknown, F extends Format = Format> = {
  readonly [One in F]: { readonly format: One } & CallCommons<Credential> & CallForms[One];
}[F];

/** How a member is sent: not at all, or with another spelling or value. */
export type Adaptation = 'left_out' | 'changed';

/** Tokens as the provider counts them. A count that it does not send is missing, not 0. */
export type UpstreamUsage = Partial<Metered>;

/** A complete answer in terms of a chat. */
export interface NormalizedAnswer {
  readonly choices: readonly AnswerChoice[];
  readonly usage: UpstreamUsage;
  readonly systemFingerprint: string | null;
  /** What the provider says about the answer, besides its choices. */
  readonly members?: JsonObject;
  /** In which mode the provider says that it was served. */
  readonly mode?: GivenMode;
}

/** A complete answer as it came, and the same in terms of a chat. */
export interface NativeAnswer {
  readonly native: JsonObject;
  readonly normalized: NormalizedAnswer;
}

/** The vectors of an answer, in the order of the inputs; `native` has all but them. */
export interface EmbeddingsAnswer extends NativeAnswer {
  readonly vectors: readonly Vector[];
}

/** The documents of an answer, the most relevant first. */
export interface RerankAnswer extends NativeAnswer {
  readonly ranking: readonly RankedDocument[];
}

/** The answer to a call, by its format. */
export interface AnswerForms extends Record<NativeFormat, NativeAnswer> {
  readonly chat: NormalizedAnswer;
  readonly embeddings: EmbeddingsAnswer;
  readonly rerank: RerankAnswer;
}

export type UpstreamAnswer<F extends Format = Format> = {
  readonly [One in F]: { readonly format: One } & AnswerForms[One];
}[F];

/** The answer in terms of a chat. */
export function normalizedOf(answer: UpstreamAnswer): NormalizedAnswer {
  return answer.format === 'chat' ? answer : answer.normalized;
}

/**
 * An event of a streamed answer. Every fragment of a tool call has its `index`; `id`, `type` and `name` come once. Each
 * choice ends with one `finish`. Usage may come before or after it; members of a later snapshot override earlier ones.
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
  /** `isLast`: the answer ends with it, though it has failed. */
  | { readonly type: 'usage'; readonly usage: UpstreamUsage; readonly isLast?: true }
  | { readonly type: 'fingerprint'; readonly fingerprint: string }
  /** What the provider says of the mode in which it is served; words of a later one override earlier ones. */
  | { readonly type: 'mode'; readonly mode: GivenMode }
  /** Members of the answer that are new or changed. */
  | { readonly type: 'members'; readonly members: JsonObject }
  | NativeEvent;

/** An event of a native answer as it came, and the same in terms of a chat. */
export interface NativeEvent {
  readonly type: 'native';
  readonly event: JsonText;
  readonly normalized: readonly NormalizedEvent[];
}

export type NormalizedEvent = Exclude<UpstreamEvent, NativeEvent>;
