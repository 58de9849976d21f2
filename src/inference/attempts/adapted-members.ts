/** Records which members an attempt sends differently than the client did, or leaves out. */
import type { Format } from '../../catalog/types.js';
import { MEMBER_NAMES } from '../../formats/shared-capacity/member-names.js';
import type { Adaptation } from '../ports/adapter.js';

/** Members that change nothing in an answer. Only the record names them. */
const OUTSIDE_OF_ANSWERS: ReadonlySet<string> = new Set([
  'cache_control',
  'client_metadata',
  'metadata',
  'prompt_cache_key',
  'safety_identifier',
  'store',
  'stream_options',
  'user',
]);

/** What a header can contain. Names that clients make up may have other characters. */
const HEADER_NAME = /^[\w.:*[\]-]{1,100}$/;

/** Maximum length of the header: proxies refuse answers with more than a few KiB of headers. */
const MAX_HEADER_CHARACTERS = 1024;

/** A record has no more members than this, and no longer names: clients can send thousands of their own. */
const MAX_MEMBERS = 100;
const MAX_NAME_CHARACTERS = 100;

/** The members of one attempt, as paths in the client's format. */
export class AdaptedMembers {
  readonly #names: ReadonlyMap<string, string>;
  /** Created for the first member: most attempts have none. */
  #members: Map<string, Adaptation> | null = null;

  /** `format`: that of the client. */
  constructor(format: Format) {
    this.#names = MEMBER_NAMES[format];
  }

  /** `name`: as spelled in the chat format, or in the client's. A member that was left out once counts as left out. */
  add(name: string, adaptation: Adaptation): void {
    const path = this.#pathOf(name).slice(0, MAX_NAME_CHARACTERS);
    this.#members ??= new Map();
    if (this.#members.size >= MAX_MEMBERS && !this.#members.has(path)) return;
    if (this.#members.get(path) !== 'left_out') this.#members.set(path, adaptation);
  }

  /** The element of a list has its place behind the name (`stop[4]`). */
  #pathOf(name: string): string {
    const list = name.indexOf('[');
    const known = this.#names.get(list === -1 ? name : name.slice(0, list));
    if (known === undefined) return name;
    return list === -1 ? known : known + name.slice(list);
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

/**
 * The value of `X-Byway-Adapted`: as many whole names as fit; undefined if nothing that shows in an answer is adapted.
 */
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
