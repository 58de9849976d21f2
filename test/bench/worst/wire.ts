/** The pieces that bodies of JSON and of protobuf are put together from. */

/** So many pieces of JSON, separated by commas. */
export function many(count: number, piece: (index: number) => string): string {
  const pieces: string[] = [];
  for (let index = 0; index < count; index += 1) pieces.push(piece(index));
  return pieces.join(',');
}

/** A field of protobuf whose content has a length. */
export function field(number: number, ...content: readonly (Uint8Array | string)[]): Buffer {
  const bytes = Buffer.concat(
    content.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** So many pieces of protobuf, one behind the other. */
export function repeated(count: number, piece: (index: number) => Uint8Array): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, index) => piece(index)));
}

/** The same piece so often. */
export function same(count: number, piece: Uint8Array): Buffer {
  return Buffer.alloc(count * piece.length, piece);
}

/** An integer as protobuf writes it. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** The content in an envelope of gRPC or of a stream. */
export function enveloped(content: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags, 0);
  prefix.writeUInt32BE(content.length, 1);
  return Buffer.concat([prefix, content]);
}
