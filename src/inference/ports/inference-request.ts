import type { Signal } from '../../base/signal.js';
import type { NativeFormat } from '../../catalog/types.js';
import type { ApiHeaders } from '../../formats/api-headers.js';
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import type { SpendLimit } from '../../ledger/limits.js';
import type { PlanInForce } from '../../ledger/payer.js';
import type { NativeDemand, ProviderPreferences, RoutedCaller } from '../../routing/types.js';

export interface InferenceCaller extends RoutedCaller {
  readonly accountId: string;
  /** The region of the host that the request came in through; `global` for the default host. */
  readonly region: string;
  /** Root of absolute URLs in answers, without a trailing slash. */
  readonly baseUrl: string;
  readonly plan: PlanInForce;
  /** The API key's own limit; null = none. */
  readonly limit: SpendLimit | null;
}

/** A validated request to any of the inference APIs, with what its transport knows about it. */
export interface InferenceRequest {
  /**
   * The request in the chat format, whichever it was sent in: what routing, reservation and metering read, and what
   * attempts send that are not native.
   */
  readonly body: ChatBody;
  /** The request in the format that it was sent in, where that is another. */
  readonly native?: NativeRequest;
  /** The `provider` member of the body, as routing reads it. */
  readonly preferences: ProviderPreferences;
  readonly caller: InferenceCaller;
  readonly requestId: string;
  /** The client's name for the conversation; null = none. */
  readonly session: string | null;
  /** What its headers say, for hosts that speak their API. */
  readonly apiHeaders?: ApiHeaders;
  /** Aborted when the client goes away. */
  readonly signal: Signal;
}

/** A request as endpoints that speak its format are sent it. */
export interface NativeRequest extends NativeDemand {
  readonly format: NativeFormat;
  /** Without the gateway's own members. */
  readonly body: JsonObject;
  /** What the request says that its chat does not: members, and types of tools. */
  readonly omitted: readonly string[];
  /** Reads what stands closed in the chat; called once, when the request is admitted. Never rejects. */
  readonly open?: () => Promise<OpenedChat>;
}

/** The chat of a request with what had stood closed in it. */
export interface OpenedChat {
  readonly chat: ChatBody;
  /** What could not be opened. */
  readonly omitted: readonly string[];
}
