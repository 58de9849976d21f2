/** What shapes that nest are made of. */

/** The members of a request beside its model, with so many pieces; bytes of a piece, and how many there may be. */
export interface Nested {
  readonly pieceBytes: number;
  readonly max?: number;
  members(count: number): object;
}

/** A message that asks for nothing. */
export const HELLO = { role: 'user', content: 'x' };

/** So many pieces. */
export const list = <T>(count: number, piece: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => piece(i));
