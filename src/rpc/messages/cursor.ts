import { invalid, type Violation } from '../../base/problem.js';
import type { GenerationPosition } from '../../inference/ports/generation.js';

/** The version of a cursor's form, so that a later form can be told apart. */
const VERSION = 'g1';

const CURSOR = /^g1 (\d{1,15}) ([\w-]{1,100})$/;

/** The text that names a place in the list of generations. */
export function cursorOf({ createdAt, id }: GenerationPosition): string {
  return Buffer.from(`${VERSION} ${createdAt} ${id}`).toString('base64url');
}

/** The place; undefined for a text that `cursorOf` has not made. */
function parseCursor(cursor: string): GenerationPosition | undefined {
  const [, createdAt, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (createdAt === undefined || id === undefined) return undefined;
  const position = { createdAt: Number(createdAt), id };
  // Decoding skips what is not of the alphabet.
  return cursorOf(position) === cursor ? position : undefined;
}

export function cursorViolations(cursor: string | undefined, offset: number | undefined): Violation[] {
  if (cursor === undefined) return [];
  return [
    ...(parseCursor(cursor) === undefined
      ? [{ field: 'cursor', rule: 'cursor', message: 'must be a cursor of an answer of this list' }]
      : []),
    ...(offset === undefined
      ? []
      : [{ field: 'offset', rule: 'exclusive', message: 'must not be given with a cursor' }]),
  ];
}

/** null without a cursor. Throws a 400 Problem for a cursor that is not ours. */
export function positionOf(cursor: string | undefined): GenerationPosition | null {
  if (cursor === undefined) return null;
  const position = parseCursor(cursor);
  if (position === undefined) throw invalid(cursorViolations(cursor, undefined));
  return position;
}
