import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { method as methodOption, type Plane } from '../../gen/byway/options/v1/options_pb.js';

const planes = new WeakMap<DescMethod, Plane>();

/** The method's traffic class. It is read once for each method: an option is parsed anew on every access. */
export function planeOf(method: DescMethod): Plane {
  const known = planes.get(method);
  if (known !== undefined) return known;
  const { plane } = getOption(method, methodOption);
  planes.set(method, plane);
  return plane;
}
