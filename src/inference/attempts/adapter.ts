/**
 * The port to a provider's protocol. An adapter makes exactly one request per call (one more only to refresh an
 * expired token), never retries, and keeps no timeouts of its own: `signal` is aborted when one has passed.
 */
import type { Signal } from '../../base/signal.js';
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

/** Speaks one protocol. `Credential` is what the opener of credentials gives for its providers. */
export interface UpstreamAdapter<Credential = unknown> {
  /** The whole answer. Rejects with `UpstreamFailure`, or with anything once `signal` is aborted, and that soon. */
  complete(call: UpstreamCall<Credential>): Promise<UpstreamAnswer>;
  /**
   * The answer as it comes; nothing is read from the provider beyond what is pulled. Throws as `complete` does; ends
   * when the provider says that it is done. Ending the iteration early releases the connection.
   */
  stream(call: UpstreamCall<Credential>): AsyncIterable<UpstreamEvent>;
}

/** One attempt. */
export interface UpstreamCall<Credential = unknown> {
  readonly endpoint: Endpoint;
  readonly provider: Provider;
  /** The region really called; null = global. */
  readonly region: string | null;
  readonly credential: Credential;
  /** `model` is the provider's own id; members that are the gateway's alone are gone. */
  readonly body: ChatBody;
  /** How the model is to reason; null leaves it to the provider. Takes the place of `body.reasoning` and its kin. */
  readonly reasoning: Reasoning | null;
  readonly signal: Signal;
  /** To be called once a successful status has come, before the body is read. */
  onFirstByte(): void;
}

/** Tokens as the provider counts them. What it leaves out is missing, which is not 0. */
export type UpstreamUsage = Partial<Metered>;

/** A provider's answer in one piece, in our dialect. */
export interface UpstreamAnswer {
  readonly choices: readonly AnswerChoice[];
  readonly usage: UpstreamUsage;
  readonly systemFingerprint: string | null;
}

/**
 * A piece of a streamed answer. Tool-call fragments always carry `index`, and `id`, `type` and `name` once. Each choice
 * ends with one `finish`; usage may come before and after it, a later snapshot wins member by member.
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
  | { readonly type: 'fingerprint'; readonly fingerprint: string };
