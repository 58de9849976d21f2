/** Finds members that stand twice in an object of a JSON text: a parser would silently keep the last. */

import { MAX_DEPTH } from '../base/json/bounded/depth.js';
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COMMA,
  endOfText,
  QUOTE,
} from '../base/json/bounded/json-source.js';
import { invalid } from '../base/problem.js';
import type { JsonPath } from '../protobuf/field-path.js';
import { memberPath, shownName, ViolationList } from '../protobuf/violations.js';

/**
 * Deeper nesting is refused anyway. One level more than free-form JSON may have, since it may be directly in a body.
 */
const MAX_SCANNED_DEPTH = MAX_DEPTH + 1;

/**
 * Throws a 400 Problem that names every member that stands twice in its object, at any depth that is read and however
 * its name is escaped. `pathOf` spells the path of the member. For a text that is not JSON the result is meaningless,
 * but the scan ends. Takes linear time.
 */
export function refuseRepeatedMembers(json: Buffer, pathOf: (path: JsonPath) => string = spelled): void {
  const violations = new ViolationList();
  const open: Container[] = [];
  for (let at = 0; at < json.length && open.length <= MAX_SCANNED_DEPTH; at += 1) {
    const byte = json[at];
    const inner = open.at(-1);
    if (byte === QUOTE) {
      const end = endOfText(json, at) ?? json.length;
      const isRepeated = inner?.isBeforeName === true && isSecond(inner, nameIn(json.subarray(at, end)));
      if (isRepeated && !violations.full)
        violations.add(pathOf(open.map(stepIn)), 'repeated', 'must be given once only');
      at = end - 1;
    } else if (byte === BRACE) {
      open.push({ names: new Map(), name: '', index: 0, isBeforeName: true });
    } else if (byte === BRACKET) {
      open.push({ names: null, name: '', index: 0, isBeforeName: false });
    } else if (byte === BRACE_END || byte === BRACKET_END) {
      open.pop();
    } else if (byte === COMMA && inner !== undefined) {
      inner.index += 1;
      inner.isBeforeName = inner.names !== null;
    }
  }
  if (violations.violations.length > 0) throw invalid(violations.violations);
}

/** An object or a list that has begun. */
interface Container {
  /** The names of an object's members, and how often each came; null for a list. */
  readonly names: Map<string, number> | null;
  name: string;
  index: number;
  isBeforeName: boolean;
}

/** Takes the name of the object's next member; whether it comes for the second time. */
function isSecond(object: Container, name: string): boolean {
  const count = (object.names?.get(name) ?? 0) + 1;
  object.names?.set(name, count);
  object.name = name;
  object.isBeforeName = false;
  return count === 2;
}

function nameIn(literal: Buffer): string {
  const text = literal.toString('utf8', 1, literal.length - 1);
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

function stepIn({ names, name, index }: Container): string | number {
  return names === null ? index : shownName(name);
}

function spelled(path: JsonPath): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : memberPath(text, step)),
    '',
  );
}
