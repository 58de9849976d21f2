/** Cuts texts that are far too long: protovalidate takes seconds to count the characters of megabytes. */
import { type DescField, type DescMessage, getOption, type Message } from '@bufbuild/protobuf';
import { field as rulesOption } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { isLazyList } from '../../base/json/lazy-list.js';
import { fieldMembersOf, type Members } from '../../protobuf/members.js';

/** UTF-16 units of a character. */
const MAX_UNITS = 2;

/**
 * Cuts every text of the message that is far longer than its rule admits. The rest is still too long, so the rule
 * refuses it as before.
 */
export function cutTexts(desc: DescMessage, message: Message): void {
  for (const cut of cutsOf(desc)) cut(fieldMembersOf(message));
}

type Cut = (members: Members) => void;

const cutsByMessage = new WeakMap<DescMessage, Cut[]>();

function cutsOf(desc: DescMessage): readonly Cut[] {
  const known = cutsByMessage.get(desc);
  if (known !== undefined) return known;
  const cuts: Cut[] = [];
  cutsByMessage.set(desc, cuts);
  cuts.push(...desc.fields.flatMap((field) => cutOf(field)));
  return cuts;
}

function cutOf(field: DescField): Cut[] {
  const { localName, message, oneof } = field;
  if (field.fieldKind === 'scalar') {
    const maxUnits = maxUnitsOf(field);
    if (maxUnits === undefined) return [];
    return [
      (members) => {
        const text = members[localName];
        if (typeof text === 'string' && text.length > maxUnits) members[localName] = text.slice(0, maxUnits);
      },
    ];
  }
  if (message === undefined || message.typeName.startsWith('google.protobuf.')) return [];
  const cut = (value: unknown) => {
    if (value !== undefined) cutTexts(message, value as Message);
  };
  if (field.fieldKind === 'list') {
    return [
      (members) => {
        const items = members[localName] as readonly unknown[];
        // Items of a lazy list are cut when they are checked themselves.
        if (!isLazyList(items)) for (const item of items) cut(item);
      },
    ];
  }
  if (oneof === undefined) return [(members) => cut(members[localName])];
  return [
    (members) => {
      const set = members[oneof.localName] as { readonly case?: string; readonly value?: unknown };
      if (set.case === localName) cut(set.value);
    },
  ];
}

/** Any text with more UTF-16 units is too long; undefined where the rules set no maximum. */
function maxUnitsOf(field: DescField): number | undefined {
  const { type } = getOption(field, rulesOption);
  if (type.case !== 'string' || type.value.maxLen === 0n) return undefined;
  return (Number(type.value.maxLen) + 1) * MAX_UNITS;
}
