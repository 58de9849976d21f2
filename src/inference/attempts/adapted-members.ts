/** What an attempt sends otherwise than the client has said it, or not at all. */
import type { ServedFormat } from '../../catalog/types.js';
import { MEMBER_NAMES } from '../../formats/shared/member-names.js';
import type { Adaptation } from '../ports/adapter.js';

/** Members that change nothing in an answer: told in the record alone. */
const OUTSIDE_OF_ANSWERS: ReadonlySet<string> = new Set([
  'cache_control',
  'metadata',
  'prompt_cache_key',
  'safety_identifier',
  'store',
  'stream_options',
  'user',
]);

/** Names that clients make up may hold what no header can. */
const HEADER_NAME = /^[\w.:*[\]-]{1,100}$/;

/** Of the header: proxies refuse answers with a few KiB of headers. */
const MAX_HEADER_CHARACTERS = 1024;

/** A record names no more members, and no more of a name: clients can send thousands of their own. */
const MAX_MEMBERS = 100;
const MAX_NAME_CHARACTERS = 100;

/** The members of one attempt, as paths of the client's format. */
export class AdaptedMembers {
  readonly #names: ReadonlyMap<string, string>;
  /** Made for the first: most attempts have none. */
  #members: Map<string, Adaptation> | null = null;

  /** `format`: the client's. */
  constructor(format: ServedFormat) {
    this.#names = MEMBER_NAMES[format];
  }

  /** `name`: in the chat format's spelling, or in the client's. What is left out once stays so. */
  add(name: string, adaptation: Adaptation): void {
    const path = (this.#names.get(name) ?? name).slice(0, MAX_NAME_CHARACTERS);
    this.#members ??= new Map();
    if (this.#members.size >= MAX_MEMBERS && !this.#members.has(path)) return;
    if (this.#members.get(path) !== 'left_out') this.#members.set(path, adaptation);
  }

  /** null = everything is sent as it is. */
  get all(): readonly string[] | null {
    return this.#members === null ? null : [...this.#members.keys()];
  }

  get leftOut(): readonly string[] {
    return [...(this.#members ?? [])].flatMap(([path, adaptation]) =>
      adaptation === 'left_out' ? path : [],
    );
  }
}

/** The value of `X-Byway-Adapted`: whole names, as many as fit; undefined where nothing that an answer shows is adapted. */
export function adaptedHeader(adapted: readonly string[]): string | undefined {
  let header = '';
  for (const name of adapted) {
    if (OUTSIDE_OF_ANSWERS.has(name) || !HEADER_NAME.test(name)) continue;
    const longer = header === '' ? name : `${header}, ${name}`;
    if (longer.length > MAX_HEADER_CHARACTERS) break;
    header = longer;
  }
  return header || undefined;
}
