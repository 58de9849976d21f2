import type { JsonObject } from '../chat/types.js';
import { isObject } from '../json.js';
import { plainName } from '../plain-name.js';
import { namesOwnersObject, ownersStorage, ownersText } from './owners-objects.js';
import { type AllowedShape, isScalar, leafOfText, shapeOfType } from './shape.js';

/** Something in the request, and where it stands. */
export interface Found {
  /** Its path: `tools[0]`, `messages[2].content[0].image_url`. */
  readonly field: string;
  /** The member's name, the type of a tool or part, a scheme such as `gs://`, or the name of a model or location. */
  readonly name: string;
  /** The text, if the value is one. */
  readonly value: string | null;
}

/** Members that make a host do something without a price, other than tools; in lower case without `_`. */
const UNPRICED: ReadonlySet<string> = new Set([
  'compaction',
  'compoundcustom',
  'connectors',
  'enablesearch',
  'fallbacks',
  'mcpservers',
  'plugins',
  'searchparameters',
  'searchsettings',
  'websearch',
]);

const LOCATION_MEMBERS: ReadonlySet<string> = new Set(['inferencegeo']);

/** Servers that the host shall call. Their location is unknown. */
const SERVERS: ReadonlySet<string> = new Set(['mcpservers', 'serverurl']);

/** Members that name a model, or a list of models. */
const MODELS = /(?:models?|model(?:id|name)s?|fallbacks)$/;

/** The caller's own labels, which no host acts on. */
const FREE: ReadonlySet<string> = new Set(['metadata', 'client_metadata']);

/** Maximum of each kind: more than any request needs. */
const MAX_FOUND = 100;

/** Longer texts are not names. */
const MAX_MODEL_CHARACTERS = 255;

/** Searches a request for what it reaches. */
export class Search {
  readonly owned: Found[] = [];
  readonly unpriced: Found[] = [];
  readonly locations: Found[] = [];
  /** Texts in unknown members, which may be names of models. */
  readonly mentions: Found[] = [];
  readonly #models = new Map<string, Found>();

  get isEmpty(): boolean {
    const { owned, unpriced, locations, mentions } = this;
    return (
      [owned, unpriced, locations, mentions].every((list) => list.length === 0) && this.#models.size === 0
    );
  }

  /** If there are too many to judge, the last one has a name that no model has. */
  get models(): readonly Found[] {
    return [...this.#models.values()];
  }

  /** Searches a value of a known shape. */
  known(value: unknown, shape: AllowedShape, field: string): void {
    if (shape === 'opaque' || isNothing(value)) return;
    if (shape === 'owned') this.#own(field, lastName(field), value);
    else if (shape === 'scalar' || shape === 'word') this.#scalar(value, field);
    else if (shape === 'place') this.#place(value, field);
    else if (typeof value === 'string') this.#text(value, shape, field);
    else if (Array.isArray(value)) this.#list(value, shape, field);
    else if (isObject(value)) {
      if (shape === 'address' || shape === 'words') this.#unknown(value, field);
      else this.#object(value, shape, field);
    }
  }

  /** An object in place of a scalar is searched like an unknown one. */
  #scalar(value: unknown, field: string): void {
    if (!isScalar(value)) this.#unknown(value, field);
  }

  #place(value: unknown, field: string): void {
    if (typeof value === 'string') add(this.locations, { field, name: value, value });
    else this.#unknown(value, field);
  }

  #text(text: string, shape: AllowedShape, field: string): void {
    const address = ownersText(text, leafOfText(shape));
    if (address !== undefined) this.#own(field, address, text);
  }

  #list(list: readonly unknown[], shape: AllowedShape, field: string): void {
    for (let position = 0; position < list.length; position += 1) {
      this.known(list[position], shape, `${field}[${position}]`);
    }
  }

  #object(object: JsonObject, shape: Exclude<AllowedShape, string>, field: string): void {
    if (shape.kind === 'tagged') {
      const known = shapeOfType(shape, object.type);
      if (known === null && shape.isOptional) this.#optional(object, field);
      else this.#tagged(object, known, field);
      return;
    }
    for (const name of Object.keys(object)) {
      const known = shape.members.get(name);
      if (known === 'opaque' || (known === 'scalar' && isScalar(object[name]))) continue;
      const path = field === '' ? name : `${field}.${name}`;
      if (FREE.has(path)) continue;
      if (known === undefined) this.#member(name, object[name], path);
      else this.known(object[name], known, path);
    }
  }

  #tagged(object: JsonObject, shape: AllowedShape | null, field: string): void {
    const type = String(object.type);
    if (shape === 'owned') this.#own(field, type, firstText(object));
    else if (shape !== null) this.known(object, shape, field);
    else {
      add(this.unpriced, { field, name: type, value: null });
      this.#unknown(object, field);
    }
  }

  /** Without a price it is left out, and what it names of an owner's with it. */
  #optional(object: JsonObject, field: string): void {
    const inner = new Search();
    inner.#unknown(object, field);
    for (const found of inner.locations) add(this.locations, found);
    for (const { name } of inner.mentions) this.#mention(name, field);
    for (const named of inner.models) this.#nameModels(named.name, named.field);
  }

  /** Searches a member that is unknown where it stands. */
  #member(name: string, value: unknown, field: string): void {
    if (isNothing(value) || value === false) return;
    const plain = plainName(name);
    if (namesOwnersObject(name, value)) this.#own(field, name, value);
    if (UNPRICED.has(plain)) add(this.unpriced, { field, name, value: null });
    if (LOCATION_MEMBERS.has(plain) && typeof value === 'string')
      add(this.locations, { field, name: value, value });
    if (SERVERS.has(plain)) add(this.locations, { field, name, value: null });
    if (MODELS.test(plain) && !isOfConversation(field)) this.#nameModels(value, field);
    this.#unknown(value, field);
  }

  #unknown(value: unknown, field: string): void {
    if (typeof value === 'string') {
      const storage = ownersStorage(value);
      if (storage !== undefined) this.#own(field, storage, value);
      if (!isOfConversation(field)) this.#mention(value, field);
    } else if (Array.isArray(value)) {
      for (let position = 0; position < value.length; position += 1) {
        this.#unknown(value[position], `${field}[${position}]`);
      }
    } else if (isObject(value)) {
      for (const name of Object.keys(value)) this.#member(name, value[name], `${field}.${name}`);
    }
  }

  #own(field: string, name: string, value: unknown): void {
    add(this.owned, { field, name, value: typeof value === 'string' ? value : firstText(value) });
  }

  #mention(name: string, field: string): void {
    if (name.length > MAX_MODEL_CHARACTERS) return;
    if (this.mentions.length < MAX_FOUND) this.mentions.push({ field, name, value: name });
    else this.#models.set('', { field, name: '', value: name });
  }

  #nameModels(value: unknown, field: string): void {
    const names = typeof value === 'object' && value !== null ? Object.values(value) : [value];
    for (const name of names) {
      if (typeof name !== 'string' || name === '') continue;
      const isTooMany = this.#models.size >= MAX_FOUND;
      this.#models.set(isTooMany ? '' : name, { field, name: isTooMany ? '' : name, value: name });
    }
  }
}

function add(list: Found[], found: Found): void {
  if (list.length < MAX_FOUND) list.push(found);
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** Whether the field is part of a message, which may say which model wrote it. */
function isOfConversation(field: string): boolean {
  return field.startsWith('messages[') || field.startsWith('system[') || field.startsWith('input[');
}

function lastName(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

/** How many members of an object, and how many levels, are searched. */
const LOOKED_THROUGH = 8;
const LOOKED_DEEP = 3;

/** The first text in an object or list, as far as it may be of interest. */
function firstText(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth === LOOKED_DEEP) return null;
  const inner = Array.isArray(value) ? value.slice(0, LOOKED_THROUGH) : Object.values(value);
  for (const one of inner.slice(0, LOOKED_THROUGH)) {
    const text = firstText(one, depth + 1);
    if (text !== null) return text;
  }
  return null;
}
