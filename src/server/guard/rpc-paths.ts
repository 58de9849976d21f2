import { create, type DescMethod, type DescService, hasOption } from '@bufbuild/protobuf';
import {
  type MethodRule,
  MethodRuleSchema,
  method as methodOption,
  Plane,
  Role,
} from '../../../gen/byway/options/v1/options_pb.js';
import { methodRule } from '../../protobuf/method-rule.js';
import { takesGet } from '../rpc/unary/get.js';

/** A method, as the guard knows it by its RPC path. */
export interface RpcPath {
  readonly rule: MethodRule;
  /** Whether it is of the contract, and not of what watches the server. */
  readonly isOperation: boolean;
  /** The HTTP methods that the path takes. */
  readonly httpMethods: readonly string[];
}

/** The methods of the services by their RPC paths. A method without a rule is for everybody. */
export function rpcPaths(services: readonly DescService[]): Map<string, RpcPath> {
  const methods: DescMethod[] = services.flatMap((service) => service.methods);
  return new Map(methods.map((m) => [`/${m.parent.typeName}/${m.name}`, rpcPath(m)]));
}

function rpcPath(method: DescMethod): RpcPath {
  const httpMethods = takesGet(method) ? ['GET', 'HEAD', 'POST'] : ['POST'];
  return { rule: ruleOf(method), isOperation: hasOption(method, methodOption), httpMethods };
}

function ruleOf(method: DescMethod): MethodRule {
  if (hasOption(method, methodOption)) return methodRule(method);
  return create(MethodRuleSchema, { roles: [Role.ANONYMOUS], plane: Plane.LISTING });
}
