/** Checks protovalidate's rules on a message. */
import { create, type DescField, type DescMessage, getOption, type Message } from '@bufbuild/protobuf';
import type { Path } from '@bufbuild/protobuf/reflect';
import type { Validator, Violation } from '@bufbuild/protovalidate';
import { field as rulesOption } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { isLazyList } from '../../base/json/lazy-list.js';
import { fieldMembersOf } from '../../protobuf/members.js';
import { MAX_VIOLATIONS } from '../../protobuf/violations.js';
import { cutTexts } from './cut-texts.js';

/** A broken rule as protovalidate reports it. */
export interface BrokenRule {
  readonly field: Path;
  readonly ruleId: string;
  readonly message: string;
}

/**
 * The rules that the message breaks, up to `MAX_VIOLATIONS`. Yields between the items of lazy lists, which the library
 * would check without a pause. Cuts texts of the message that are far too long. Throws the library's errors, for rules
 * that it can't evaluate.
 */
export function* brokenRules(
  validator: Validator,
  desc: DescMessage,
  message: Message,
): Generator<void, BrokenRule[]> {
  const lists = lazyListsOf(desc, message);
  if (lists.length === 0) return violations(validator, desc, message).slice(0, MAX_VIOLATIONS);
  const broken = [
    ...violations(validator, desc, withFirstItems(desc, message, lists)),
    ...lists.flatMap((list) => tooLong(list)),
  ];
  for (const { field, items } of lists) {
    for (const [index, item] of items.entries()) {
      if (broken.length >= MAX_VIOLATIONS) break;
      // The first item was checked with the message.
      if (index === 0) continue;
      for (const { field: path, ruleId, message } of violations(validator, field.message, item)) {
        broken.push({ field: [field, { kind: 'list_sub', index }, ...path], ruleId, message });
      }
      yield;
    }
  }
  return broken.slice(0, MAX_VIOLATIONS);
}

/** A list whose items are read on each access. */
interface LazyItems {
  readonly field: DescField & { readonly fieldKind: 'list'; readonly listKind: 'message' };
  readonly items: readonly Message[];
}

function lazyListsOf({ fields }: DescMessage, message: Message): LazyItems[] {
  return fields.flatMap((field) => {
    if (field.fieldKind !== 'list' || field.listKind !== 'message') return [];
    const items = fieldMembersOf(message)[field.localName] as readonly Message[];
    return isLazyList(items) && items.length > 0 ? [{ field, items }] : [];
  });
}

function violations(validator: Validator, desc: DescMessage, message: Message): readonly Violation[] {
  cutTexts(desc, message);
  const result = validator.validate(desc, message);
  if (result.kind === 'error') throw result.error;
  return result.violations ?? [];
}

/** A copy of the message with only the first item of each of the lists. */
function withFirstItems(desc: DescMessage, message: Message, lists: readonly LazyItems[]): Message {
  const copy = Object.assign(create(desc), message);
  for (const { field, items } of lists) fieldMembersOf(copy)[field.localName] = [items[0]];
  return copy;
}

function tooLong({ field, items }: LazyItems): BrokenRule[] {
  const { type } = getOption(field, rulesOption);
  const max = type.case === 'repeated' ? Number(type.value.maxItems) : 0;
  if (max === 0 || items.length <= max) return [];
  return [
    { field: [field], ruleId: 'repeated.max_items', message: `must contain no more than ${max} item(s)` },
  ];
}
