import { SlicedJson } from '../../base/json/sliced-json.js';
import type { Encoding, Vector } from '../../formats/embeddings/types.js';
import type { JsonObject } from '../../formats/json.js';

/** Are written in some milliseconds. */
const SHORT_VECTORS = 16;

/** An answer with one embedding for each input. */
export class EmbeddingList extends SlicedJson {
  /** All but `data`. */
  readonly head: JsonObject;
  readonly vectors: readonly Vector[];
  readonly encoding: Encoding;

  constructor(head: JsonObject, vectors: readonly Vector[], encoding: Encoding) {
    super();
    this.head = head;
    this.vectors = vectors;
    this.encoding = encoding;
  }

  get isShort(): boolean {
    return this.vectors.length <= SHORT_VECTORS;
  }

  *pieces(): Generator<Buffer, void> {
    yield Buffer.from(`${JSON.stringify(this.head).slice(0, -1)},"data":[`);
    for (const [index, vector] of this.vectors.entries()) {
      const embedding =
        this.encoding === 'base64' ? `"${base64Of(vector)}"` : `[${numbersOf(vector).join(',')}]`;
      const json = `{"object":"embedding","index":${index},"embedding":${embedding}}`;
      yield Buffer.from(index === 0 ? json : `,${json}`, 'latin1');
    }
    yield Buffer.from(']}');
  }
}

export function base64Of(vector: Vector): string {
  if (typeof vector === 'string') return vector;
  const bytes = Buffer.allocUnsafe(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [index, number] of vector.entries())
    bytes.writeFloatLE(number, index * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}

/** Adapters give base64 only where it was asked for. */
export function numbersOf(vector: Vector): Float64Array {
  if (typeof vector === 'string') throw new TypeError('the vector is in base64');
  return vector;
}
