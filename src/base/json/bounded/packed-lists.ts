/** Takes the long lists of numbers out of JSON while it comes, since its text takes more memory than they do. */
import { BACKSLASH, BRACKET, BRACKET_END, isOfNumber, isSpace, QUOTE } from './json-source.js';

/** A list up to this length is parsed at once, in some milliseconds: far more than any embedding has. */
const MAX_LIST_BYTES = 512 * 1024;

const NOTHING = Buffer.alloc(0);

/**
 * Every list that begins with a number is replaced by a list with its place alone, and put back once the rest is parsed. What
 * is no list of numbers, or a longer one, stays.
 */
export class PackedLists {
  readonly #lists: Float64Array[] = [];
  /** The beginning of a list whose end has not come. */
  #open: Buffer = NOTHING;
  #isInText = false;
  #isEscaped = false;

  /** The JSON without its lists, as far as it has come. */
  rest(piece: Buffer): Buffer[] {
    const bytes = this.#open.length === 0 ? piece : Buffer.concat([this.#open, piece]);
    this.#open = NOTHING;
    const rest: Buffer[] = [];
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      if (!this.#isListAt(bytes, at)) {
        at += 1;
        continue;
      }
      const end = bytes.indexOf(BRACKET_END, at);
      if (end < 0 && bytes.length - at <= MAX_LIST_BYTES) {
        // A copy, since the piece is not kept.
        this.#open = Buffer.from(bytes.subarray(at));
        rest.push(bytes.subarray(from, at));
        return rest;
      }
      const list = end < 0 || end - at > MAX_LIST_BYTES ? undefined : numbersIn(bytes, at, end + 1);
      if (list !== undefined) {
        rest.push(bytes.subarray(from, at), Buffer.from(`[${this.#lists.length}]`));
        this.#lists.push(list);
        from = end + 1;
        at = from;
      } else at += 1;
    }
    rest.push(bytes.subarray(from));
    return rest;
  }

  /** What is left where no more comes. */
  end(): Buffer {
    return this.#open;
  }

  /** The JSON with its lists as `Float64Array`s. */
  restored(json: unknown): unknown {
    if (Array.isArray(json)) {
      const [place] = json;
      const list = typeof place === 'number' && json.length === 1 ? this.#lists[place] : undefined;
      return list ?? json.map((element) => this.restored(element));
    }
    if (typeof json !== 'object' || json === null) return json;
    return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, this.restored(value)]));
  }

  /** Whether a list begins there, which may go on behind what has come; follows texts on the way. */
  #isListAt(bytes: Buffer, at: number): boolean {
    const byte = bytes[at];
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
      return false;
    }
    if (byte === QUOTE) this.#isInText = true;
    if (byte !== BRACKET) return false;
    let next = at + 1;
    while (next < bytes.length && isSpace(bytes[next] ?? 0)) next += 1;
    return next === bytes.length || isOfNumber(bytes[next] ?? 0);
  }
}

function numbersIn(bytes: Buffer, from: number, to: number): Float64Array | undefined {
  try {
    const list: unknown[] = JSON.parse(bytes.toString('latin1', from, to));
    return list.every((value) => typeof value === 'number') ? Float64Array.from(list) : undefined;
  } catch {
    return undefined;
  }
}
