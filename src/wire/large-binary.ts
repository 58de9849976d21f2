import { type DescField, type DescMessage, fromBinary, type Message } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { lazyList } from '../base/lazy-list.js';
import { membersOf } from './members.js';
import { Spans } from './spans.js';

/**
 * What `fromBinary` gives, but for the lists of messages right in it: their items are read whenever they are asked for,
 * from the bytes. Throws an Error for bytes that are no such message.
 */
export function fromLargeBinary(desc: DescMessage, bytes: Uint8Array): Message {
  const lists = new Map(
    listsOf(desc).map(({ field, items }) => [field.number, { field, items, spans: new Spans(bytes) }]),
  );
  const reader = new BinaryReader(bytes);
  const others = new Spans(bytes);
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, type] = reader.tag();
    const list = type === WireType.LengthDelimited ? lists.get(number) : undefined;
    if (list === undefined) {
      reader.skip(type, number);
      others.add(start, reader.pos);
    } else {
      const length = reader.uint32();
      list.spans.add(reader.pos, reader.pos + length);
      reader.pos += length;
    }
  }
  if (reader.pos > reader.len) throw new RangeError('the message ends before its end');
  const message = fromBinary(desc, joined(others));
  for (const { field, items, spans } of lists.values()) {
    const list = lazyList(spans.length, (index) => fromBinary(items, spans.copy(index)));
    // What can't be read is told now.
    for (const _item of list);
    membersOf(message)[field.localName] = list;
  }
  return message;
}

function listsOf({ fields }: DescMessage): { readonly field: DescField; readonly items: DescMessage }[] {
  return fields.flatMap((field) =>
    field.fieldKind === 'list' && field.listKind === 'message' ? [{ field, items: field.message }] : [],
  );
}

function joined(spans: Spans): Uint8Array {
  return Buffer.concat(Array.from({ length: spans.length }, (_, index) => spans.view(index)));
}
