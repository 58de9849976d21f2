import type { Endpoint } from '../../catalog/types.js';
import type { OnDisconnect, RequestedTimeouts } from '../../formats/routing-members.js';
import type { RequestReach } from '../../formats/shared-capacity/reach.js';
import type { RequestUses } from '../../formats/shared-capacity/uses.js';
import type { UsageBounds } from '../../ledger/pricing/possible-usage.js';
import type { RequestSize } from '../../routing/estimate/request-size.js';
import type { RouteFacts } from '../../routing/router/request-facts.js';
import type { ReasoningMembers } from '../reasoning/reasoning.js';

/** What planning and billing need to know about a request, whichever API it came by. */
export interface RequestFacts extends RouteFacts {
  /** How large it can become, whichever endpoint serves it. */
  size(isStreamed: boolean): RequestSize;
  /** The likely tokens of its prompt, for providers that send no count. */
  promptTokens(): number;
  /** Images in its prompt. */
  images(): number;
  /** The likely search units of a reranking, for providers that send no count; 0 of any other request. */
  searchUnits(): number;
  /** What it reaches beyond its model. */
  readonly reach: RequestReach;
  /** What of it not all hosts take. */
  readonly uses: RequestUses;
  /** Its reasoning members. */
  readonly reasoning: ReasoningMembers;
  /** How many choices its answer has. */
  readonly choices: number;
  /** The most that its answer may have used at an endpoint. */
  boundsAt(endpoint: Endpoint): UsageBounds;
  /** Its own timeouts. */
  readonly timeouts: RequestedTimeouts | undefined;
  /** What its client wants to become of the answer over an own key when it leaves. */
  readonly onDisconnect: OnDisconnect | undefined;
  /** Whether it may be sent differently than it is written if a provider refuses it. */
  readonly mayAdapt: boolean;
}
