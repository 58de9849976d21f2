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
import type { Check, ServiceDefinition } from '../define-service.js';
import { type BrokenRule, brokenRules } from './broken-rules.js';
import { nullCharacterViolations } from './text-rule.js';
import { usdViolations } from './usd-rule.js';
import { loadValidator } from './validator.js';

/**
 * Refuses a request that breaks a rule of the contract or a check of its service with a 400 Problem that names all
 * of them, in REST spelling, up to about `MAX_VIOLATIONS`. The rest of the interceptor chain does not run then.
 */
export function validateRequests(services: readonly ServiceDefinition[]): Interceptor {
  const checks = byMethod(services, ({ checks }) => checks);
  const ofInvalid = byMethod(services, ({ ofInvalid }) => ofInvalid);
  const validate = async (
    method: DescMethod,
    request: Message | OpenRequest,
    values: ContextValues,
  ): Promise<void> => {
    const made = request instanceof OpenRequest ? request.message : request;
    const message = method.input.fields.length === 0 ? undefined : made;
    const rules =
      message === undefined
        ? []
        : await runInSlices(brokenRules(await loadValidator(), method.input, message));
    const unstorable = message === undefined ? [] : nullCharacterViolations(method, message);
    const amounts = message === undefined ? [] : usdViolations(method, message);
    const broken = [...rules.map((rule) => toViolation(rule, method)), ...unstorable, ...amounts];
    const find = async (check: Check | undefined) => {
      // A check may query the database, which can't search for a null character.
      if (check === undefined || unstorable.length > 0) return;
      const found = await check(request, values.get(callerKey));
      broken.push(...found.filter(({ field }) => !broken.some((violation) => violation.field === field)));
    };
    await find(checks.get(method));
    if (broken.length === 0) return;
    await find(ofInvalid.get(method));
    throw invalid(broken);
  };
  return (next) => async (request) => {
    const { method, contextValues } = request;
    if (!request.stream) {
      await validate(method, request.message, contextValues);
      return next(request);
    }
    const { message } = request;
    if (message instanceof OneItem) {
      await validate(method, message.item, contextValues);
      return next(request);
    }
    return next({
      ...request,
      message: validated(message, (m) => validate(method, m, contextValues)),
    });
  };
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
): Map<DescMethod, Check> {
  const checks = new Map<DescMethod, Check>();
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
