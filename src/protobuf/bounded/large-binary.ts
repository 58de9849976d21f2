/** Reads protobuf messages whose long lists are lazy: items are read from the bytes on each access. */
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { Spans } from '../../base/json/bounded/spans.js';
import { StructureCount, type StructureLimits } from '../../base/json/bounded/structure.js';
import { lazyList } from '../../base/json/lazy-list.js';
import { runToEnd } from '../../base/time-slices.js';
import { fieldMembersOf } from '../members.js';
import { BinarySource } from './binary-source.js';
import { readBinary } from './read-binary.js';

/** Larger items are read once and cached. */
const LARGE_ITEM_BYTES = 32 * 1024;

/**
 * As `readBinary`, but the message's own lists of messages are lazy: their items are read from the bytes on each
 * access. Each item has limits of its own. All are read once at first, and the same errors thrown.
 */
export function* readLargeBinary(
  desc: DescMessage,
  bytes: Uint8Array,
  count: StructureCount,
  itemLimits: StructureLimits,
): Generator<void, Message> {
  const lists = new Map(
    listsOf(desc).map(({ field, items }) => [field.number, { field, items, spans: new Spans(bytes) }]),
  );
  const source = new BinarySource(bytes, count);
  const others = new Spans(bytes);
  while (source.pos < source.len) {
    if (source.isDue) yield;
    count.value();
    const start = source.pos;
    const [number, type] = source.tag();
    const list = type === WireType.LengthDelimited ? lists.get(number) : undefined;
    if (list === undefined) {
      yield* source.skipField(number, type, 1);
      others.add(start, source.pos);
    } else {
      const end = source.endOfDelimited(source.len);
      list.spans.add(source.pos, end);
      source.pos = end;
    }
  }
  const message = yield* readBinary(desc, joined(others), count);
  for (const { field, items, spans } of lists.values()) {
    const read = (item: Uint8Array) => readBinary(items, item, new StructureCount(itemLimits));
    fieldMembersOf(message)[field.localName] = yield* lazyItems(spans, read);
  }
  return message;
}

function* lazyItems(
  spans: Spans,
  read: (item: Uint8Array) => Generator<void, Message>,
): Generator<void, Message[]> {
  const large = new Map<number, Message>();
  for (let index = 0; index < spans.length; index += 1) {
    const item = spans.copy(index);
    const message = yield* read(item);
    if (item.length > LARGE_ITEM_BYTES) large.set(index, message);
    yield;
  }
  return lazyList(spans.length, (index) => large.get(index) ?? runToEnd(read(spans.copy(index))));
}

function listsOf({ fields }: DescMessage): { readonly field: DescField; readonly items: DescMessage }[] {
  return fields.flatMap((field) =>
    field.fieldKind === 'list' && field.listKind === 'message' ? [{ field, items: field.message }] : [],
  );
}

function joined(spans: Spans): Uint8Array {
  return Buffer.concat(Array.from({ length: spans.length }, (_, index) => spans.view(index)));
}
