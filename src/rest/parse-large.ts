/** JSON of many megabytes, parsed piece by piece: its text never stands in memory beside its bytes and its values. */
import type { JsonValue } from '@bufbuild/protobuf';
import { formOf, memberIn, piecesOf, trimmed } from '../wire/json-pieces.js';

/** Makes a list of its elements, each of which is parsed when it is asked for. */
export type ListMaker = (length: number, element: (index: number) => JsonValue) => JsonValue[];

/** Elements are parsed on their own down to this depth: members of the body, and elements of the lists in them. */
const DEPTH = 2;

/**
 * What `JSON.parse` gives of the text. Throws a SyntaxError where that would, though maybe with other words; an element
 * that is asked for only later throws it then. `bytes` are UTF-8.
 */
export function parseLargeJson(bytes: Buffer, makeList: ListMaker = wholeList): JsonValue {
  return parsePiece(bytes, DEPTH, makeList);
}

function parsePiece(bytes: Buffer, depth: number, makeList: ListMaker): JsonValue {
  const text = trimmed(bytes);
  const form = depth === 0 ? 'value' : formOf(text);
  if (form === 'value') return JSON.parse(text.toString('utf8'));
  const pieces = piecesOf(text);
  if (form === 'array')
    return makeList(pieces.length, (index) =>
      depth === 1 ? JSON.parse(pieces.text(index)) : parsePiece(pieces.view(index), depth - 1, wholeList),
    );
  const members = wholeList(pieces.length, (index) => memberIn(pieces.view(index)));
  return Object.fromEntries(members.map(([name, value]) => [name, parsePiece(value, depth - 1, makeList)]));
}

function wholeList<T>(length: number, element: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => element(index));
}
