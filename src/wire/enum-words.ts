/** Words for enums in proto JSON: REST's are taken beside the proto file's, and a word that is neither is refused. */
import type { DescEnum, DescField, DescMessage, DescMethod } from '@bufbuild/protobuf';
import type { Path } from '@bufbuild/protobuf/reflect';
import { invalid } from '../base/problem.js';
import { Faults } from './faults.js';
import { restFieldPath } from './field-path.js';
import { BRACE, BRACKET, COLON, COMMA, endOfString, isSpace, OTHER_HALF, QUOTE } from './json-pieces.js';
import { enumNumber, enumWanted } from './spelling.js';

/**
 * The text of a method's request with REST's words for enums replaced by the proto file's, at any depth; the same bytes
 * where there are none. Throws a 400 Problem that names the field and the allowed words for every word that is neither:
 * a reader that ignores unknown members would leave the field out without a word. What is not JSON, or not of the type
 * of its field, is left as it stands: whoever reads it tells. Each byte is looked at once.
 */
export function withProtoWords(method: DescMethod, json: Uint8Array): Uint8Array {
  const shape = shapeOf(method.input);
  if (shape === undefined) return json;
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const reader = new WordReader(bytes, method);
  reader.read(shape);
  if (reader.faults.violations.length > 0) throw invalid(reader.faults.violations);
  return reader.result() ?? json;
}

/** What a JSON value holds where it holds enums. */
type Shape =
  | { readonly kind: 'enum'; readonly desc: DescEnum }
  | { readonly kind: 'list' | 'map'; readonly items: Shape }
  /** The members that hold enums, by both of their names in proto JSON. */
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Member> };

interface Member {
  readonly field: DescField;
  readonly shape: Shape;
}

const shapes = new WeakMap<DescMessage, Shape | null>();

/** undefined for a message that holds no enum at any depth. */
function shapeOf(desc: DescMessage): Shape | undefined {
  // Well-known types have JSON forms of their own, and none holds an enum of ours.
  if (desc.typeName.startsWith('google.protobuf.')) return undefined;
  const known = shapes.get(desc);
  if (known !== undefined) return known ?? undefined;
  const members = new Map<string, Member>();
  const shape: Shape = { kind: 'object', members };
  // Before its fields, of which one may hold the same message again.
  shapes.set(desc, shape);
  for (const field of desc.fields) {
    const held = heldBy(field);
    if (held !== undefined)
      for (const name of [field.name, field.jsonName]) members.set(name, { field, shape: held });
  }
  if (members.size > 0) return shape;
  shapes.set(desc, null);
  return undefined;
}

function heldBy(field: DescField): Shape | undefined {
  const held = heldByOne(field);
  if (held === undefined || (field.fieldKind !== 'list' && field.fieldKind !== 'map')) return held;
  return { kind: field.fieldKind, items: held };
}

function heldByOne({ enum: desc, message }: DescField): Shape | undefined {
  if (desc !== undefined) return { kind: 'enum', desc };
  return message === undefined ? undefined : shapeOf(message);
}

/** Reads one text from its begin to its end, and stops where that is no JSON. */
class WordReader {
  readonly faults = new Faults();
  readonly #bytes: Buffer;
  readonly #method: DescMethod;
  /** What the result consists of so far: what stands before `#copied`. */
  readonly #pieces: Buffer[] = [];
  readonly #path: Path[number][] = [];
  #copied = 0;
  #at = 0;

  constructor(bytes: Buffer, method: DescMethod) {
    this.#bytes = bytes;
    this.#method = method;
  }

  /** undefined where nothing was replaced. */
  result(): Uint8Array | undefined {
    if (this.#pieces.length === 0) return undefined;
    return Buffer.concat([...this.#pieces, this.#bytes.subarray(this.#copied)]);
  }

  /** Reads the value that comes next; null for one that holds no enum. */
  read(shape: Shape | null): void {
    const byte = this.#next();
    if (shape?.kind === 'enum' && byte === QUOTE) this.#word(shape.desc);
    else if (shape?.kind === 'list' && byte === BRACKET) this.#list(shape.items);
    else if (shape?.kind === 'map' && byte === BRACE) this.#object((name) => [named(name), shape.items]);
    else if (shape?.kind === 'object' && byte === BRACE)
      this.#object((name) => {
        const member = shape.members.get(name);
        return member === undefined ? undefined : [member.field, member.shape];
      });
    else this.#skip();
  }

  #word(desc: DescEnum): void {
    const start = this.#at;
    const word = this.#string();
    if (word === undefined || desc.values.some(({ name }) => name === word)) return;
    const number = enumNumber(desc, word);
    const name = number === undefined ? undefined : desc.value[number]?.name;
    if (name === undefined) {
      this.faults.add(restFieldPath(this.#path as Path, this.#method), 'enum', enumWanted(desc));
      return;
    }
    this.#pieces.push(this.#bytes.subarray(this.#copied, start), Buffer.from(`"${name}"`));
    this.#copied = this.#at;
  }

  #list(items: Shape): void {
    let index = 0;
    if (this.#opens(BRACKET)) {
      do {
        this.#path.push({ kind: 'list_sub', index });
        this.read(items);
        this.#path.pop();
        index += 1;
      } while (this.#continues());
    }
    this.#at += 1;
  }

  /** `memberOf` tells where a member of that name stands, and what it holds. */
  #object(memberOf: (name: string) => readonly [Path[number], Shape] | undefined): void {
    if (this.#opens(BRACE)) {
      do {
        const name = this.#next() === QUOTE ? this.#string() : undefined;
        if (name === undefined || this.#next() !== COLON) {
          this.#at = this.#bytes.length;
          return;
        }
        this.#at += 1;
        this.#member(memberOf(name));
      } while (this.#continues());
    }
    this.#at += 1;
  }

  #member(member: readonly [Path[number], Shape] | undefined): void {
    if (member === undefined) {
      this.read(null);
      return;
    }
    this.#path.push(member[0]);
    this.read(member[1]);
    this.#path.pop();
  }

  /** Passes what opens a list or an object; whether it holds anything. */
  #opens(half: number): boolean {
    this.#at += 1;
    return this.#next() !== half + OTHER_HALF;
  }

  /** Passes a comma; whether there was one. */
  #continues(): boolean {
    if (this.#next() !== COMMA || this.faults.full) return false;
    this.#at += 1;
    return true;
  }

  /** Passes the string that begins here; undefined for what is none. */
  #string(): string | undefined {
    const start = this.#at;
    const end = endOfString(this.#bytes, start);
    this.#at = end ?? this.#bytes.length;
    if (end === undefined) return undefined;
    const text = this.#bytes.toString('utf8', start + 1, end - 1);
    return text.includes('\\') ? unescaped(text) : text;
  }

  /** Passes a value, up to the comma or the closing half behind it. */
  #skip(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let open = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) at = (endOfString(bytes, at) ?? bytes.length) - 1;
      else if (byte === BRACKET || byte === BRACE) open += 1;
      else if (open === 0 && (byte === COMMA || isClosing(byte))) break;
      else if (isClosing(byte)) open -= 1;
    }
    this.#at = at;
  }

  /** The byte that comes next, behind space; undefined at the end. */
  #next(): number | undefined {
    while (isSpace(this.#bytes[this.#at])) this.#at += 1;
    return this.#bytes[this.#at];
  }
}

function isClosing(byte: number | undefined): boolean {
  return byte === BRACKET + OTHER_HALF || byte === BRACE + OTHER_HALF;
}

function named(key: string): Path[number] {
  return { kind: 'map_sub', key };
}

function unescaped(text: string): string | undefined {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return undefined;
  }
}
