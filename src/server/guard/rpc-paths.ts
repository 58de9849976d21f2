import { create, type DescMethod, type DescService } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { type MethodRule, MethodRuleSchema, Plane, Role } from '../../../gen/byway/options/v1/options_pb.js';
import { isOperation, ruleOf } from '../../protobuf/method-rule.js';

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

/** Whether the method can be called by GET: it is unary, and the contract says that it only reads. */
export function takesGet({ methodKind, idempotency }: DescMethod): boolean {
  return methodKind === 'unary' && idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
}

function rpcPath(method: DescMethod): RpcPath {
  const httpMethods = takesGet(method) ? ['GET', 'HEAD', 'POST'] : ['POST'];
  const isOfContract = isOperation(method);
  return { rule: isOfContract ? ruleOf(method) : FOR_EVERYBODY, isOperation: isOfContract, httpMethods };
}

const FOR_EVERYBODY = create(MethodRuleSchema, { roles: [Role.ANONYMOUS], plane: Plane.LISTING });
