import {
  type DescField,
  type DescMessage,
  fromJsonString,
  type JsonReadOptions,
  type Message,
} from '@bufbuild/protobuf';
import { lazyList } from '../base/lazy-list.js';
import { formOf, memberIn, piecesOf, trimmed } from './json-pieces.js';
import { membersOf } from './members.js';

/**
 * What `fromJsonString` gives, but for the lists of messages right in it: their items are read whenever they are asked
 * for, from the bytes. `bytes` are UTF-8. Throws an Error for text that is no such message.
 */
export function fromLargeJson(
  desc: DescMessage,
  { buffer, byteOffset, byteLength }: Uint8Array,
  options: Partial<JsonReadOptions>,
): Message {
  const text = trimmed(Buffer.from(buffer, byteOffset, byteLength));
  if (formOf(text) !== 'object') throw new SyntaxError('no object');
  const members = piecesOf(text);
  const others: string[] = [];
  const lists = new Map<DescField, unknown[]>();
  for (let index = 0; index < members.length; index += 1) {
    const [name, value] = memberIn(members.view(index));
    const field = desc.fields.find((one) => one.name === name || one.jsonName === name);
    if (field?.fieldKind !== 'list' || field.listKind !== 'message' || formOf(value) !== 'array') {
      others.push(members.text(index));
      continue;
    }
    if (lists.has(field)) throw new SyntaxError('a member twice');
    lists.set(field, lazyItems(field.message, value, options));
  }
  const message = fromJsonString(desc, `{${others.join(',')}}`, options);
  for (const [field, list] of lists) membersOf(message)[field.localName] = list;
  return message;
}

function lazyItems(desc: DescMessage, array: Buffer, options: Partial<JsonReadOptions>): unknown[] {
  const items = piecesOf(array);
  const list = lazyList(items.length, (index) => fromJsonString(desc, items.text(index), options));
  // What can't be read is told now.
  for (const _item of list);
  return list;
}
