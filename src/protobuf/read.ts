import {
  create,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf';
import { setMember } from '../base/json/json-value.js';
import type { Violation } from '../base/problem.js';
import { runToEnd } from '../base/time-slices.js';
import { checkDepth } from './depth.js';
import { fieldMembersOf, isJsonObject } from './members.js';
import { fieldReader, type OnNull, onNull } from './read-field.js';
import { listReader, readStruct, unionReader } from './read-form.js';
import type { ReadValue } from './scalar.js';
import { shapeOf, wrongAnnotation } from './shape.js';
import { memberPath, ViolationList } from './violations.js';

/** The message of a body and the names of the members that were sent (null included), or all violations. */
export type ReadResult<Desc extends DescMessage = DescMessage> =
  | { readonly ok: true; readonly message: MessageShape<Desc>; readonly present: readonly string[] }
  | { readonly ok: false; readonly violations: readonly Violation[] };

interface ReadOptions {
  /** The path of the value, in REST spelling; empty for a whole body. */
  readonly path?: string;
  /** Members that come from elsewhere, such as the path: unknown members of the body. */
  readonly without?: ReadonlySet<string>;
}

interface MemberReader {
  readonly key: string;
  readonly readOnly: boolean;
  readonly onNull: OnNull;
  readonly read: ReadValue;
}

interface Plan {
  readonly desc: DescMessage;
  readonly members: Map<string, MemberReader>;
  readonly openKey: string | undefined;
  /** Answers have them, and nothing is read of them. */
  readonly neutral: JsonObject;
}

const NONE: ReadonlySet<string> = new Set();
const plans = new WeakMap<DescMessage, Plan>();

/**
 * Reads REST JSON strictly: reports all wrong types and unknown names at once, and coerces nothing. The contract's
 * rules are checked later, on the message.
 */
export function readMessage<Desc extends DescMessage>(
  desc: Desc,
  json: JsonValue,
  options: ReadOptions = {},
): ReadResult<Desc> {
  return runToEnd(readMessageInSteps(desc, json, options));
}

/** As `readMessage`, but yields between the elements of long lists. */
export function* readMessageInSteps<Desc extends DescMessage>(
  desc: Desc,
  json: JsonValue,
  { path = '', without = NONE }: ReadOptions = {},
): Generator<void, ReadResult<Desc>> {
  const plan = planOf(desc);
  const violations = new ViolationList();
  const message = readObject(plan, json, path, violations, without);
  yield* violations.finish();
  if (message === undefined || !isJsonObject(json) || violations.violations.length > 0) {
    return { ok: false, violations: violations.violations };
  }
  const present = Object.keys(json).filter((name) => plan.members.has(name));
  // The plan belongs to the very descriptor that the caller gave.
  return { ok: true, message: message as MessageShape<Desc>, present };
}

/** Compiles the reader of a message and of all that it holds. Throws an Error for a wrong annotation. */
export function prepareReader(desc: DescMessage): void {
  planOf(desc);
}

function planOf(desc: DescMessage): Plan {
  const known = plans.get(desc);
  if (known !== undefined) return known;
  const shape = shapeOf(desc);
  if (shape.kind !== 'object') throw wrongAnnotation(desc, 'is not spelled as an object');
  const plan: Plan = { desc, members: new Map(), openKey: shape.open?.localName, neutral: shape.neutral };
  plans.set(desc, plan);
  for (const { name, key, field, rule } of shape.members) {
    plan.members.set(name, {
      key,
      readOnly: rule.readOnly,
      onNull: onNull(field, rule),
      read: fieldReader(field, messageReader),
    });
  }
  return plan;
}

function readObject(
  plan: Plan,
  json: JsonValue,
  path: string,
  violations: ViolationList,
  without: ReadonlySet<string>,
): Message | undefined {
  if (!isJsonObject(json)) return violations.add(path, 'type', 'must be an object');
  const message = create(plan.desc);
  const target = fieldMembersOf(message);
  let others: JsonObject | undefined;
  for (const name of Object.keys(json)) {
    const value = json[name] ?? null;
    const member = plan.members.get(name);
    if (member?.readOnly || (member === undefined && Object.hasOwn(plan.neutral, name))) {
      violations.add(memberPath(path, name), 'read_only', 'is read-only');
    } else if (member === undefined || without.has(name)) {
      if (plan.openKey === undefined || member !== undefined)
        unknownMember(plan, path, name, violations, without);
      else {
        others ??= {};
        checkDepth(value, memberPath(path, name), violations);
        setMember(others, name, value);
      }
    } else if (value !== null || member.onNull === 'value') {
      const read = member.read(value, memberPath(path, name), violations);
      if (read !== undefined) target[member.key] = read;
    } else if (member.onNull === 'refused') {
      violations.add(memberPath(path, name), 'not_null', 'must not be null');
    }
  }
  if (plan.openKey !== undefined && others !== undefined) target[plan.openKey] = others;
  return message;
}

function unknownMember(
  plan: Plan,
  path: string,
  name: string,
  violations: ViolationList,
  without: ReadonlySet<string>,
): void {
  if (violations.full) return;
  const known = [...plan.members].filter(([other, { readOnly }]) => !readOnly && !without.has(other));
  violations.unknown(
    'member',
    path,
    name,
    known.map(([other]) => other),
  );
}

function messageReader(desc: DescMessage): ReadValue {
  const shape = shapeOf(desc);
  switch (shape.kind) {
    case 'struct':
      return readStruct;
    case 'list':
      return listReader(desc, shape.items, messageReader);
    case 'union':
      return unionReader(desc, shape.oneof, messageReader);
    case 'object': {
      const plan = planOf(desc);
      return (json, path, violations) => readObject(plan, json, path, violations, NONE);
    }
  }
}
