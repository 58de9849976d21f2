/**
 * Reduces a request to what a provider may be sent over shared capacity: only what has a price and a rule. See
 * `docs/routing.md#what-is-sent-over-shared-capacity`.
 */
import type { JsonObject } from '../../formats/chat/types.js';
import {
  bodyWithPricedBetas,
  headersWithPricedBetas,
  namesBetas,
} from '../../formats/shared-capacity/betas.js';
import { LeftOut, withinShape } from '../../formats/shared-capacity/left-out.js';
import { sharedHeaders, takesOpenHeaders } from '../../formats/shared-capacity/open-headers.js';
import { isPlain } from '../../formats/shared-capacity/plain.js';
import { allowedAt, hasPrice, shapeAt } from '../../formats/shared-capacity/shapes-of-hosts.js';
import { isSentWithPrice, workIn } from '../../formats/shared-capacity/work.js';
import type { CallCommons, UpstreamCall } from '../ports/adapter.js';
import { type SentRequest, sentBody } from '../ports/inference-request.js';

/** What is sent of a request, and where. */
type PriceableCall = Pick<CallCommons, 'endpoint' | 'provider' | 'apiHeaders'> &
  Pick<UpstreamCall, 'format' | 'body'>;

/** The call as it may be made with the operator's credential, and the paths of what was left out. */
export interface PricedCall<Call> {
  readonly call: Call;
  readonly leftOut: readonly string[];
}

const NOTHING: readonly string[] = [];

/** Returns the same call for nearly all requests, and for all requests to endpoints that nothing is charged for. */
export function pricedCall<Call extends PriceableCall>(call: Call): PricedCall<Call> {
  const { apiHeaders, endpoint, provider } = call;
  const isOpen = apiHeaders !== undefined && takesOpenHeaders(provider);
  const open = isOpen ? sharedHeaders(apiHeaders, hasPrice(endpoint), allowedAt(endpoint)) : undefined;
  if (open === undefined) return withPricedBody(call);
  const { call: priced, leftOut } = withPricedBody({ ...call, apiHeaders: open.headers });
  return { call: priced, leftOut: [...open.leftOut, ...leftOut] };
}

function withPricedBody<Call extends PriceableCall>(call: Call): PricedCall<Call> {
  const { endpoint, provider, format, body } = call;
  if (!hasPrice(endpoint)) return { call, leftOut: NOTHING };
  const shape = shapeAt(endpoint, provider, format);
  const hasBetas = namesBetas(call, shape);
  const isWithin = isPlain(body, shape);
  if (!hasBetas && isWithin) return { call, leftOut: NOTHING };
  const allowed = withSentWork(allowedAt(endpoint), call);
  const leftOut = new LeftOut();
  const named = hasBetas && { apiHeaders: headersWithPricedBetas(call.apiHeaders, allowed, leftOut) };
  const within = isWithin ? body : withinShape<JsonObject>(body, shape, allowed, leftOut);
  const priced = hasBetas ? bodyWithPricedBetas(within, allowed, leftOut) : within;
  return { call: { ...call, ...named, body: priced }, leftOut: leftOut.names };
}

/** With the types of the tools that the host may run, since they have a price and a maximum. */
function withSentWork(
  admitted: ReadonlySet<string>,
  { endpoint, format, body }: PriceableCall,
): ReadonlySet<string> {
  const sent = workIn(format, body).filter(
    (one) => one.isOptional !== undefined && isSentWithPrice(one, endpoint),
  );
  return sent.length === 0 ? admitted : new Set([...admitted, ...sent.map(({ type }) => type)]);
}

/** The paths in the client's own request, from which the chat was translated. */
export function pathsOfClient(leftOut: readonly string[], sent: SentRequest): readonly string[] {
  const isOfSpeed = sent.format !== 'chat' && sentBody(sent).speed === 'fast';
  const tier = isOfSpeed ? 'speed' : 'service_tier';
  return leftOut.map((path) => (path === 'service_tier' ? tier : path));
}
