/** How many messages stand in one in protobuf's binary form, counted before anything is made of it. */
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** The shortest message in another: its tag and its length. */
const SHORTEST_BYTES = 2;

/** Deeper than the library reads. */
const MAX_DEPTH = 128;

/**
 * Whether more messages than so many stand in the bytes, at any depth; entries of maps are among them, and so is each
 * value of a `google.protobuf.Struct`. Looks no further than it must. Of bytes that are no such message the answer means
 * nothing, but there is one.
 */
export function exceedsMessages(desc: DescMessage, bytes: Uint8Array, max: number): boolean {
  if (bytes.length <= max * SHORTEST_BYTES) return false;
  try {
    return count(new BinaryReader(bytes), shapeOf(desc), { end: bytes.length, max, depth: 0 }) > max;
  } catch {
    return false;
  }
}

/** The fields that hold messages, by number, and what those hold. */
type Shape = ReadonlyMap<number, () => Shape>;

interface Extent {
  readonly end: number;
  /** Counting ends beyond it. */
  readonly max: number;
  readonly depth: number;
}

function count(reader: BinaryReader, shape: Shape, { end, max, depth }: Extent): number {
  let found = 0;
  while (reader.pos < end && found <= max) {
    const [number, type] = reader.tag();
    const inner = type === WireType.LengthDelimited ? shape.get(number) : undefined;
    if (inner === undefined) {
      reader.skip(type, number);
      continue;
    }
    const length = reader.uint32();
    const next = reader.pos + length;
    found += 1;
    if (length > 0 && depth < MAX_DEPTH)
      found += count(reader, inner(), { end: next, max: max - found, depth: depth + 1 });
    reader.pos = next;
  }
  return found;
}

const shapes = new WeakMap<DescMessage, Shape>();

function shapeOf(desc: DescMessage): Shape {
  const known = shapes.get(desc);
  if (known !== undefined) return known;
  const shape: Shape = new Map(desc.fields.flatMap((field) => holderOf(field)));
  shapes.set(desc, shape);
  return shape;
}

function holderOf(field: DescField): [number, () => Shape][] {
  const { number, message } = field;
  if (field.fieldKind === 'map') {
    const entry: Shape = new Map(message === undefined ? [] : [[MAP_VALUE, () => shapeOf(message)]]);
    return [[number, () => entry]];
  }
  return message === undefined ? [] : [[number, () => shapeOf(message)]];
}

/** The field of a map's entry that holds its value. */
const MAP_VALUE = 2;
