import { type DescMethod, getOption } from '@bufbuild/protobuf';
import {
  type MethodRule,
  method as methodOption,
  type Plane,
} from '../../gen/byway/options/v1/options_pb.js';

const rules = new WeakMap<DescMethod, MethodRule>();

/** The method's `byway.options.v1.method`. It is read once for each method: an option is parsed anew on every access. */
export function methodRule(method: DescMethod): MethodRule {
  const known = rules.get(method);
  if (known !== undefined) return known;
  const rule = getOption(method, methodOption);
  rules.set(method, rule);
  return rule;
}

/** The method's traffic class. */
export function planeOf(method: DescMethod): Plane {
  return methodRule(method).plane;
}
