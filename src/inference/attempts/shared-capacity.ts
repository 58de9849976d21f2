/**
 * What of a request a provider is sent over shared capacity: nothing but what has a price and a rule. See
 * `docs/routing.md#what-is-sent-over-shared-capacity`.
 */
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import { elements, textOf } from '../../formats/json.js';
import { pricedBetas } from '../../formats/shared/betas.js';
import { LeftOut, withinShape } from '../../formats/shared/left-out.js';
import { isPlain } from '../../formats/shared/plain.js';
import { admittedAt, hasPrice, shapeAt } from '../../formats/shared/shapes-of-hosts.js';
import type { UpstreamCall } from '../ports/adapter.js';
import type { NativeRequest } from '../ports/inference-request.js';

/** What is sent of a request, and where. */
export type SentRequest = Pick<UpstreamCall, 'endpoint' | 'provider' | 'body' | 'native' | 'betas'>;

/** The call as it may be made with the operator's credential, and the paths of what is left out of its request. */
export interface PricedCall<Call> {
  readonly call: Call;
  readonly leftOut: readonly string[];
}

const NOTHING: readonly string[] = [];

/** The same call for nearly all requests, and for all at an endpoint that nothing is charged for. */
export function pricedCall<Call extends SentRequest>(call: Call): PricedCall<Call> {
  const { endpoint, provider, body, native, betas = NOTHING } = call;
  if (!hasPrice(endpoint)) return { call, leftOut: NOTHING };
  const shape = shapeAt(endpoint, provider, native !== undefined);
  const takesBetas = native !== undefined || shape.members.has('betas');
  const hasBetas = takesBetas && (betas.length > 0 || body.betas !== undefined);
  const isWithin = isPlain(native?.body ?? body, shape);
  if (!hasBetas && isWithin) return { call, leftOut: NOTHING };
  const admitted = admittedAt(endpoint);
  const leftOut = new LeftOut();
  const within = <Body extends JsonObject>(sent: Body) =>
    isWithin ? sent : withinShape(sent, shape, admitted, leftOut);
  const named = hasBetas ? { betas: pricedBetas(betas, admitted, leftOut) } : {};
  const sent =
    native === undefined
      ? { body: withPricedBetas(within(body), admitted, leftOut) }
      : { native: { ...native, body: within(native.body) } };
  return { call: { ...call, ...named, ...sent }, leftOut: leftOut.names };
}

function withPricedBetas(body: ChatBody, admitted: ReadonlySet<string>, leftOut: LeftOut): ChatBody {
  if (body.betas === undefined) return body;
  const named = elements(body.betas).flatMap((beta) => textOf(beta) ?? []);
  return { ...body, betas: pricedBetas(named, admitted, leftOut) };
}

/** The paths as the client has them, whose request the chat was read from. */
export function pathsOfClient(
  leftOut: readonly string[],
  read: Pick<NativeRequest, 'body'>,
): readonly string[] {
  const tier = read.body.speed === undefined ? 'service_tier' : 'speed';
  return leftOut.map((path) => (path === 'service_tier' ? tier : path));
}
