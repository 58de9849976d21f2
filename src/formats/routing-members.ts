/** The gateway's own members of requests, the same in every API. Providers never see them. */

/** The `provider` member of a request, as JSON; null = not given. */
export interface SentPreferences {
  readonly order?: readonly string[] | null;
  readonly only?: readonly string[] | null;
  readonly ignore?: readonly string[] | null;
  readonly allow_fallbacks?: boolean;
  readonly require_parameters?: boolean;
  readonly data_collection?: 'allow' | 'deny' | null;
  readonly zdr?: boolean;
  readonly quantizations?: readonly string[] | null;
  readonly sort?: 'price' | 'throughput' | 'latency' | null;
  readonly max_price?: SentMaxPrice | null;
  /** USD, as a decimal text. */
  readonly max_cost_usd?: string | null;
  readonly timeouts_ms?: RequestedTimeouts;
  readonly adapt?: boolean;
  readonly on_disconnect?: OnDisconnect;
}

/** What becomes of an answer whose client leaves: it is read to its end, or the call to the provider is cut. */
export type OnDisconnect = 'finish' | 'cancel';

/** The members of a request that decide its route. */
export interface RoutingMembers {
  readonly model?: string;
  readonly models?: readonly string[];
  readonly provider?: SentPreferences;
}

/** `max_price`: numbers or decimal strings; null and undefined = no maximum. */
export interface SentMaxPrice {
  readonly prompt?: number | string | null;
  readonly completion?: number | string | null;
  readonly request?: number | string | null;
  readonly image?: number | string | null;
}

/** Timeouts of a request, in milliseconds. */
export interface RequestedTimeouts {
  readonly first_byte?: number;
  readonly first_token?: number;
  readonly idle?: number;
  readonly total?: number;
}
