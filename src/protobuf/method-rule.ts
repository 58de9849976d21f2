import { create, type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import {
  type MethodRule,
  MethodRuleSchema,
  method as methodOption,
  Plane,
  service as serviceOption,
} from '../../gen/byway/options/v1/options_pb.js';

const rules = new WeakMap<DescMethod, MethodRule>();

/**
 * The method's rule, with roles and plane of its service where it names none. It is read once for each method: an option is
 * parsed anew on every access.
 */
export function ruleOf(method: DescMethod): MethodRule {
  const known = rules.get(method);
  if (known !== undefined) return known;
  const rule = getOption(method, methodOption);
  const { roles, plane } = getOption(method.parent, serviceOption);
  const whole = create(MethodRuleSchema, {
    ...rule,
    roles: rule.roles.length > 0 ? rule.roles : roles,
    plane: rule.plane === Plane.UNSPECIFIED ? plane : rule.plane,
  });
  rules.set(method, whole);
  return whole;
}

/** Whether the method is of the contract, and not of what watches the server. */
export function isOperation(method: DescMethod): boolean {
  return hasOption(method.parent, serviceOption) || hasOption(method, methodOption);
}
