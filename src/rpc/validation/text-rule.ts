import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import type { Path } from '@bufbuild/protobuf/reflect';
import { Plane } from '../../../gen/byway/options/v1/options_pb.js';
import type { Violation } from '../../base/problem.js';
import { restFieldPath } from '../../protobuf/field-path.js';
import { fieldMembersOf } from '../../protobuf/members.js';
import { ruleOf } from '../../protobuf/method-rule.js';
import { ViolationList } from '../../protobuf/violations.js';

const NULL_CHARACTER = '\u0000';

/**
 * Violations for texts with a null character: PostgreSQL can neither store nor search for it, so they are refused on
 * SQLite too. The content of chats is never searched for, so that only the other texts of such requests are checked.
 */
export function nullCharacterViolations(method: DescMethod, message: Message): readonly Violation[] {
  const violations = new ViolationList();
  const path: Path[number][] = [];
  const check = (text: unknown): void => {
    if (typeof text === 'string' && text.includes(NULL_CHARACTER))
      violations.add(
        restFieldPath(path as Path, method),
        'null_character',
        'must not contain the null character (U+0000)',
      );
  };
  const visit = (desc: DescMessage, value: Message): void => {
    for (const field of fieldsWithText(desc)) {
      const fieldValue = fieldMembersOf(value)[field.localName];
      const { message: inner } = field;
      path.push(field);
      if (inner === undefined) eachOf(fieldValue, path, check);
      else if (!carriesChats(method))
        eachOf(fieldValue, path, (one) => {
          if (one !== undefined) visit(inner, one as Message);
        });
      path.pop();
    }
  };
  visit(method.input, message);
  return violations.violations;
}

function eachOf(value: unknown, path: Path[number][], visit: (one: unknown) => void): void {
  if (!Array.isArray(value)) {
    visit(value);
    return;
  }
  for (const [index, item] of value.entries()) {
    path.push({ kind: 'list_sub', index });
    visit(item);
    path.pop();
  }
}

function carriesChats(method: DescMethod): boolean {
  const plane = ruleOf(method).plane;
  return plane === Plane.INFERENCE || plane === Plane.BATCHES;
}

const fieldsByMessage = new WeakMap<DescMessage, readonly DescField[]>();

/**
 * The fields that are texts, or messages that may hold some. A FieldMask is left out: its paths are only compared
 * with names.
 */
function fieldsWithText(desc: DescMessage): readonly DescField[] {
  const known = fieldsByMessage.get(desc);
  if (known !== undefined) return known;
  const fields = desc.fields.filter(
    ({ oneof, message, scalar }) =>
      oneof === undefined &&
      (scalar === ScalarType.STRING ||
        (message !== undefined && !message.typeName.startsWith('google.protobuf.'))),
  );
  fieldsByMessage.set(desc, fields);
  return fields;
}
