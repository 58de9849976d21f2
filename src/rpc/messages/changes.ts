import { type DescMessage, getOption, isFieldSet, type MessageShape } from '@bufbuild/protobuf';
import type { FieldMask } from '@bufbuild/protobuf/wkt';
import { field as fieldOption } from '../../../gen/byway/options/v1/options_pb.js';
import { type Change, CLEAR, KEEP, set } from '../../base/change.js';
import { invalid, type Violation } from '../../base/problem.js';

/** Gives the change of one field of the resource, by the field's name in the message. */
export type ChangeReader<M> = <K extends keyof M & string>(field: K) => Change<NonNullable<M[K]>>;

/**
 * Reads an update (AIP-134): a masked field is set to what the resource carries, or cleared when it carries
 * nothing; the others stay unchanged. An empty mask means the fields that the resource carries. Throws 400 for a path
 * that is unknown or read-only.
 */
export function readChanges<D extends DescMessage>(
  desc: D,
  resource: MessageShape<D>,
  mask: FieldMask | undefined,
): ChangeReader<MessageShape<D>> {
  const paths = mask?.paths ?? [];
  const violations = paths.flatMap((path) => pathViolation(desc, path));
  if (violations.length > 0) throw invalid(violations);
  const masked = new Set(paths);
  return (name) => {
    const field = desc.field[name];
    if (field === undefined) throw new TypeError(`${desc.typeName} has no field ${name}`);
    const isSet = isFieldSet(resource, field);
    const isMasked = masked.size === 0 ? isSet : masked.has(field.name);
    if (!isMasked) return KEEP;
    return isSet ? set(resource[name] as NonNullable<MessageShape<D>[typeof name]>) : CLEAR;
  };
}

function pathViolation(desc: DescMessage, path: string): Violation[] {
  const readOnly = fieldsOf(desc).get(path);
  if (readOnly === undefined) {
    return [{ field: 'update_mask', rule: 'unknown', message: `${path} is not a field of the resource` }];
  }
  if (!readOnly) return [];
  return [{ field: 'update_mask', rule: 'read_only', message: `${path} can't be changed` }];
}

/** Cached, since reading an option parses it each time, which costs more than the rest of an update. */
const fieldsByMessage = new WeakMap<DescMessage, ReadonlyMap<string, boolean>>();

/** The names of the message's fields, and whether each is read-only. */
function fieldsOf(desc: DescMessage): ReadonlyMap<string, boolean> {
  const known = fieldsByMessage.get(desc);
  if (known !== undefined) return known;
  const fields = new Map(desc.fields.map((field) => [field.name, getOption(field, fieldOption).readOnly]));
  fieldsByMessage.set(desc, fields);
  return fields;
}
