/** Reads the JSON of a credential and reports all violations. Messages contain only our own names, never what was sent. */
import { isObject } from '../../base/json/json-value.js';
import { nearestNames } from '../../base/nearest.js';
import type { Violation } from '../../base/problem.js';

/** The value, or all violations. */
export type Parsed<T> = { readonly ok: T } | { readonly violations: readonly Violation[] };

/** A violation without its field. */
export interface RuleViolation {
  readonly rule: string;
  readonly message: string;
}

/** The violation of one text; undefined for a valid one. */
export type TextCheck = (text: string) => RuleViolation | undefined;

/** A violation of the credential as a whole. */
export function keyViolation(violation: RuleViolation): { readonly violations: readonly Violation[] } {
  return { violations: [{ field: 'key', ...violation }] };
}

interface MemberShape {
  readonly required: boolean;
  readonly check: TextCheck;
}
type Shape = Readonly<Record<string, MemberShape>>;

/** The string members of an object by their shape: an optional one that is missing or null is null. */
export type ObjectMembers<S extends Shape> = {
  readonly [K in keyof S]: S[K]['required'] extends true ? string : string | null;
};

export function required(check: TextCheck): { readonly required: true; readonly check: TextCheck } {
  return { required: true, check };
}

/** A member that may be missing or null. */
export function optional(check: TextCheck): { readonly required: false; readonly check: TextCheck } {
  return { required: false, check };
}

/** Reads `value`, found at `path`, as an object of exactly these string members. */
export function readObject<S extends Shape>(
  value: unknown,
  path: string,
  shape: S,
): Parsed<ObjectMembers<S>> {
  if (!isObject(value)) return { violations: [{ field: path, ...wrongType(value, 'a JSON object') }] };
  const violations: Violation[] = unknownMembers(value, path, Object.keys(shape));
  const members: Record<string, string | null> = {};
  for (const [name, { required, check }] of Object.entries(shape)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    const violation = memberViolation(member, required, check);
    if (violation !== undefined) violations.push({ field: `${path}.${name}`, ...violation });
    members[name] = typeof member === 'string' ? member : null;
  }
  if (violations.length > 0) return { violations };
  // The loop above gave every member of the shape its value; a computed key is beyond what the compiler follows.
  return { ok: members as ObjectMembers<S> };
}

function memberViolation(member: unknown, required: boolean, check: TextCheck): RuleViolation | undefined {
  if (member === undefined || (member === null && !required)) {
    return required ? { rule: 'required', message: 'is missing' } : undefined;
  }
  if (typeof member !== 'string') return wrongType(member, 'a string');
  return member === '' && required ? { rule: 'required', message: 'must not be empty' } : check(member);
}

/** Unknown members are named by position: their names were sent by the caller and may be misplaced secrets. */
function unknownMembers(value: object, path: string, known: readonly string[]): Violation[] {
  const violations: Violation[] = [];
  for (const [index, name] of Object.keys(value).entries()) {
    if (known.includes(name)) continue;
    if (violations.length === MAX_UNKNOWN_NAMED) break;
    const [near] = nearestNames(name, known);
    const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`;
    violations.push({
      field: path,
      rule: 'unknown_member',
      message: `member ${index + 1} is not known; ${hint}`,
    });
  }
  return violations;
}

/** A credential of 64 KiB can have thousands of unknown members. */
const MAX_UNKNOWN_NAMED = 20;

/** The violation of a value that is not of the expected JSON type. */
export function wrongType(value: unknown, wanted: string): RuleViolation {
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return { rule: 'type', message: `must be ${wanted}, not ${found === 'a object' ? 'an object' : found}` };
}
