import type { Signal } from '../../base/signal.js';
import type { NativeFormat } from '../../catalog/types.js';
import type { ApiHeaders } from '../../formats/api-headers.js';
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import type { SpendLimit } from '../../ledger/limits.js';
import type { BillingPlanInForce } from '../../ledger/payer.js';
import type { NativeDemand, ProviderPreferences, RoutedCaller } from '../../routing/types.js';
import type { RequestFacts } from './request-facts.js';

export interface InferenceCaller extends RoutedCaller {
  readonly accountId: string;
  /** The region of the host that the request came in through; `global` for the default host. */
  readonly region: string;
  /** Root of absolute URLs in answers, without a trailing slash. */
  readonly baseUrl: string;
  readonly plan: BillingPlanInForce;
  /** The API key's own limit; null = none. */
  readonly limit: SpendLimit | null;
}

/** A validated request to any of the inference APIs, with what its transport knows about it. */
export interface InferenceRequest {
  /** What it says, in the format that it was sent in. */
  readonly sent: SentRequest;
  /** What plan, reservation and metering read of it. */
  readonly facts: RequestFacts;
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

/** What a request says, by its format: whatever attempts are made of. */
export type SentRequest = ChatRequest | NativeRequest;

export interface ChatRequest {
  readonly format: 'chat';
  readonly chat: ChatBody;
}

/** A request as endpoints that speak its format are sent it, and the chat that all others are. */
export interface NativeRequest extends NativeDemand {
  readonly format: NativeFormat;
  readonly chat: ChatBody;
  /** Without the gateway's own members. */
  readonly body: JsonObject;
  /** What the request says that its chat does not: members, and types of tools. */
  readonly omitted: readonly string[];
  /** Reads what stands closed in the chat; called once, when the request is admitted. Never rejects. */
  readonly open?: () => Promise<OpenedChat>;
}

/** The request in its own format. */
export function sentBody(sent: SentRequest): JsonObject {
  return sent.format === 'chat' ? sent.chat : sent.body;
}

/** What it demands of endpoints beyond its chat; undefined of a chat. */
export function demandOf(sent: SentRequest): NativeDemand | undefined {
  return sent.format === 'chat' ? undefined : sent;
}

/** The chat of a request with what had stood closed in it. */
export interface OpenedChat {
  readonly chat: ChatBody;
  /** What could not be opened. */
  readonly omitted: readonly string[];
}
