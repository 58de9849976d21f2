import { laneOf } from '../../catalog/formats.js';
import type { HostWork } from '../../formats/host-work.js';
import { hasPrice } from '../../formats/shared-capacity/shapes-of-hosts.js';
import { isSentWithPrice } from '../../formats/shared-capacity/work.js';
import type { Attempt } from '../types.js';
import type { RequestSize } from './request-size.js';

/** An endpoint and the key to call it with; null on shared capacity, missing for any key. */
type Asked = Pick<Attempt, 'endpoint' | 'provider'> & { readonly key?: Attempt['key'] };

/**
 * The work that the endpoint is asked to do. Of what the answer can do without, a chat has nothing, and shared capacity is
 * sent what has a price and a maximum.
 */
export function workAt(
  { work, format }: Pick<RequestSize, 'work' | 'format'>,
  { endpoint, provider, key }: Asked,
): readonly HostWork[] {
  if (!work.some(({ isOptional }) => isOptional)) return work;
  const isNative = format !== null && laneOf(format, endpoint, provider) === 'native';
  const isPriced = key === null && hasPrice(endpoint);
  const isSent = (one: HostWork) => isNative && (!isPriced || isSentWithPrice(one, endpoint));
  return work.filter((one) => one.isOptional !== true || isSent(one));
}
