/**
 * Checks the contract's rules (protovalidate and our own options) and those of the services; reports all broken ones
 * at once.
 */
import type { DescEnum, DescField, DescMethod, Message } from '@bufbuild/protobuf';
import type { ContextValues, Interceptor } from '@connectrpc/connect';
import { OneItem } from '../../base/one-item.js';
import { invalid, type Violation } from '../../base/problem.js';
import { runInSlices } from '../../base/time-slices.js';
import { restFieldPath } from '../../protobuf/field-path.js';
import { OpenRequest } from '../../protobuf/open-request.js';
import { enumWanted } from '../../protobuf/spelling.js';
import { callerKey } from '../caller.js';
import type { RequestCheck, ServiceDefinition } from '../define-service.js';
import { type BrokenRule, brokenRules } from './broken-rules.js';
import { nullCharacterViolations } from './text-rule.js';
import { usdViolations } from './usd-rule.js';
import { validatorOrLoading } from './validator.js';

/**
 * Refuses a request that breaks a rule of the contract or a check of its service, with a 400 Problem that names all of
 * them in REST spelling, up to about `MAX_VIOLATIONS`. The rest of the interceptor chain then does not run.
 */
export function validateRequests(services: readonly ServiceDefinition[]): Interceptor {
  const checks = byMethod(services, ({ checks }) => checks);
  const ofInvalid = byMethod(services, ({ ofInvalid }) => ofInvalid);
  /** Undefined where nothing has to be waited for. */
  const validate = (
    method: DescMethod,
    request: Message | OpenRequest,
    values: ContextValues,
  ): Promise<void> | undefined => {
    const made = request instanceof OpenRequest ? request.message : request;
    const message = method.input.fields.length === 0 ? undefined : made;
    const judge = (rules: readonly BrokenRule[]): Promise<void> | undefined => {
      const unstorable = message === undefined ? [] : nullCharacterViolations(method, message);
      const amounts = message === undefined ? [] : usdViolations(method, message);
      const broken = [...rules.map((rule) => toViolation(rule, method)), ...unstorable, ...amounts];
      // A check may query the database, which can't search for a null character.
      const further = unstorable.length > 0 ? [] : [checks.get(method), ofInvalid.get(method)];
      if (broken.length === 0 && further[0] === undefined) return undefined;
      return refuse(broken, further, (check) => check(request, values.get(callerKey)));
    };
    if (message === undefined) return judge([]);
    const validator = validatorOrLoading();
    const rules =
      validator instanceof Promise
        ? validator.then((loaded) => runInSlices(brokenRules(loaded, method.input, message)))
        : runInSlices(brokenRules(validator, method.input, message));
    return rules instanceof Promise ? rules.then(judge) : judge(rules);
  };
  return (next) => (request) => {
    const { method, contextValues } = request;
    if (request.stream && !(request.message instanceof OneItem)) {
      const { message } = request;
      return next({
        ...request,
        message: validated(message, async (m) => validate(method, m, contextValues)),
      });
    }
    const only = request.message instanceof OneItem ? request.message.item : request.message;
    const validating = validate(method, only as Message, contextValues);
    return validating === undefined ? next(request) : validating.then(() => next(request));
  };
}

/** Throws a Problem with what is broken, and with what the checks find: the second one where anything else is broken. */
async function refuse(
  broken: Violation[],
  [check, ofInvalid]: readonly (RequestCheck | undefined)[],
  find: (check: RequestCheck) => ReturnType<RequestCheck>,
): Promise<void> {
  const add = async (further: RequestCheck | undefined) => {
    if (further === undefined) return;
    const found = await find(further);
    broken.push(...found.filter(({ field }) => !broken.some((violation) => violation.field === field)));
  };
  await add(check);
  if (broken.length === 0) return;
  await add(ofInvalid);
  throw invalid(broken);
}

async function* validated<T>(
  messages: AsyncIterable<T>,
  validate: (message: T) => Promise<void>,
): AsyncIterable<T> {
  for await (const message of messages) {
    await validate(message);
    yield message;
  }
}

function byMethod(
  services: readonly ServiceDefinition[],
  checksOf: (service: ServiceDefinition) => ServiceDefinition['checks'],
): Map<DescMethod, RequestCheck> {
  const checks = new Map<DescMethod, RequestCheck>();
  for (const service of services) {
    for (const method of service.service.methods) {
      const check = checksOf(service)[method.localName];
      if (check !== undefined) checks.set(method, check);
    }
  }
  return checks;
}

function toViolation(violation: BrokenRule, method: DescMethod): Violation {
  const field = restFieldPath(violation.field, method);
  const rule = ruleWord(violation.ruleId);
  const words = rule === 'enum' ? enumOf(violation) : undefined;
  const message = words === undefined ? violation.message.replace(/^value /, '') : enumWanted(words);
  return { field, rule, message };
}

function enumOf({ field }: BrokenRule): DescEnum | undefined {
  const last = field.findLast((part): part is DescField => part.kind === 'field');
  return last?.enum;
}

/** One stable word for a protovalidate rule such as `int32.gte_lte` or `string.min_len`. */
function ruleWord(ruleId: string): string {
  const name = ruleId.slice(ruleId.lastIndexOf('.') + 1);
  if (/^[gl]te?(_|$)/.test(name)) return 'range';
  if (/^(min_|max_)?(len|bytes)$/.test(name)) return 'length';
  if (/^(min|max)_items$/.test(name)) return 'count';
  if (/^(in|not_in|defined_only)$/.test(name)) return 'enum';
  return name;
}
