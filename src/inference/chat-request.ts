import type { Signal } from '../base/signal.js';
import type { ChatBody } from '../formats/chat/types.js';
import type { SpendLimit } from '../ledger/limits.js';
import type { Plan } from '../ledger/payer.js';
import type { Caller, ProviderPreferences } from '../routing/types.js';

export interface ChatCaller extends Caller {
  readonly accountId: string;
  /** The region of the host that the request came in through; `global` for the default host. */
  readonly region: string;
  readonly plan: Plan;
  /** The API key's own limit; null = none. */
  readonly limit: SpendLimit | null;
}

/** A validated request, with what its transport knows about it. */
export interface ChatRequest {
  readonly body: ChatBody;
  /** The `provider` member of the body, as routing reads it. */
  readonly preferences: ProviderPreferences;
  readonly caller: ChatCaller;
  readonly requestId: string;
  /** The client's name for the conversation; null = none. */
  readonly session: string | null;
  /** Beta features of Anthropic's that the client has named in a header. */
  readonly betas?: readonly string[];
  /** Aborted when the client goes away. */
  readonly signal: Signal;
}
