import type { Signal } from '../../base/signal.js';
import type { NativeFormat } from '../../catalog/types.js';
import type { ApiHeaders } from '../../formats/api-headers.js';
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import type { EndUserRules } from '../../ledger/end-users.js';
import type { SpendLimit } from '../../ledger/limits.js';
import type { BillingPlanInForce } from '../../ledger/payer.js';
import type { NativeDemand, ProviderPreferences, RoutedCaller } from '../../routing/types.js';
import type { Attribution } from './attribution.js';
import type { RequestFacts } from './request-facts.js';

export interface InferenceCaller extends RoutedCaller {
  readonly accountId: string;
  /** The region of the host that the request came in through; `global` for the default host. */
  readonly region: string;
  /** Root of absolute URLs in answers, without a trailing slash. */
  readonly baseUrl: string;
  readonly plan: BillingPlanInForce;
  /** The limit of the API key itself; null = none. */
  readonly limit: SpendLimit | null;
  /** What the API key says of its end users; null = nothing. */
  readonly endUsers: EndUserRules | null;
}

/** A validated request to any inference API, with what its transport knows about it. */
export interface InferenceRequest {
  /** The content of the request, in the format that it was sent in. */
  readonly sent: SentRequest;
  /** What planning, reservation and metering need to know about it. */
  readonly facts: RequestFacts;
  /** The `provider` member of the body, in routing's terms. */
  readonly preferences: ProviderPreferences;
  readonly caller: InferenceCaller;
  readonly requestId: string;
  /** The client's name for the conversation; null = none. */
  readonly session: string | null;
  /** How old a cached answer may be that it gets, and how long its own is kept, in seconds; null = neither. */
  readonly cacheTtl: number | null;
  /** For whom it spends. */
  readonly attribution: Attribution;
  /** The client's headers, for hosts that speak the same API. */
  readonly apiHeaders?: ApiHeaders | undefined;
  /** Aborted when the client leaves. */
  readonly signal: Signal;
}

/** The content of a request, by its format. Attempts are made from it. */
export type SentRequest = ChatRequest | NativeRequest;

export interface ChatRequest {
  readonly format: 'chat';
  readonly chat: ChatBody;
}

/** A request as it is sent to endpoints that speak its format, and the chat that is sent to all others. */
export interface NativeRequest extends NativeDemand {
  readonly format: NativeFormat;
  readonly chat: ChatBody;
  /** Has none of the gateway's own members. */
  readonly body: JsonObject;
  /** Members, and types of tools, that the request has and its chat does not. */
  readonly omitted: readonly string[];
  /** Paths of tools that the body is sent without. */
  readonly leftOut?: readonly string[];
  /** Opens the sealed parts of the chat. Called once, when the request is admitted. Never rejects. */
  readonly open?: () => Promise<OpenedChat>;
}

/** The request in its own format. */
export function sentBody(sent: SentRequest): JsonObject {
  return sent.format === 'chat' ? sent.chat : sent.body;
}

/** What the request demands of endpoints beyond its chat; undefined for a chat. */
export function demandOf(sent: SentRequest): NativeDemand | undefined {
  return sent.format === 'chat' ? undefined : sent;
}

/** The chat of a request, with its sealed parts opened. */
export interface OpenedChat {
  readonly chat: ChatBody;
  /** Parts that could not be opened. */
  readonly omitted: readonly string[];
}
