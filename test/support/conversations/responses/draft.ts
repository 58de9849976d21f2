import type { Rng } from '../rng.js';

/** A request to the Responses API that is being made; its oddities change it. */
export interface ResponsesDraft {
  input: Item[];
  tools: Tool[];
  /** All other members of the body. */
  members: { [name: string]: unknown };
}

export interface Item {
  type: string;
  [member: string]: unknown;
}

export interface Tool {
  type: string;
  [member: string]: unknown;
}

/** Changes a draft, or says that there is no place for it. */
export type Oddity = (draft: ResponsesDraft, rng: Rng) => boolean;

export function itemsOf(draft: ResponsesDraft, ...types: readonly string[]): Item[] {
  return draft.input.filter(({ type }) => types.includes(type));
}

/** Changes one of the values; false where there is none. */
export function change<T>(rng: Rng, values: readonly T[], how: (value: T) => void): boolean {
  if (values.length === 0) return false;
  how(rng.pick(values));
  return true;
}
