import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  isFieldSet,
  type Message,
} from '@bufbuild/protobuf';
import type { Path } from '@bufbuild/protobuf/reflect';
import { field as fieldOption } from '../../../gen/byway/options/v1/options_pb.js';
import { NANO_DIGITS, usdToNano } from '../../base/money.js';
import type { Violation } from '../../base/problem.js';
import { restFieldPath } from '../../protobuf/field-path.js';

/** Violations for amounts in USD of the request (or of the resource in it) with more decimals than nano-USD have. */
export function usdViolations(method: DescMethod, message: Message): Violation[] {
  return usdPaths(method.input).flatMap((path) => {
    const usd = valueAt(message, path);
    if (typeof usd !== 'number' || usdToNano(usd) !== undefined) return [];
    const field = restFieldPath(path as Path, method);
    return [{ field, rule: 'decimals', message: `must be a number with at most ${NANO_DIGITS} decimals` }];
  });
}

const pathsByMessage = new WeakMap<DescMessage, readonly DescField[][]>();

/** The `usd` fields of a message and of the messages directly in it. */
function usdPaths(desc: DescMessage): readonly DescField[][] {
  const known = pathsByMessage.get(desc);
  if (known !== undefined) return known;
  const nested = desc.fields.flatMap((outer) =>
    outer.fieldKind === 'message' ? outer.message.fields.filter(isUsd).map((inner) => [outer, inner]) : [],
  );
  const paths = [...desc.fields.filter(isUsd).map((field) => [field]), ...nested];
  pathsByMessage.set(desc, paths);
  return paths;
}

function isUsd(field: DescField): boolean {
  return getOption(field, fieldOption).usd;
}

function valueAt(message: Message, path: readonly DescField[]): unknown {
  let value: unknown = message;
  for (const field of path) {
    // The path comes from the message's own descriptor.
    const parent = value as Message & Record<string, unknown>;
    if (!isFieldSet(parent, field)) return undefined;
    value = parent[field.localName];
  }
  return value;
}
