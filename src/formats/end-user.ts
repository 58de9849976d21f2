/** Who a request is made for, behind its API key. See `docs/money.md#end-users`. */
import { createHash } from 'node:crypto';
import type { Violation } from '../base/problem.js';
import type { Format } from '../catalog/types.js';
import { namedUser } from './claude-code-user.js';
import { headerText, isText, storable } from './client-text.js';
import { isObject } from './json.js';

/** Names the end user, before any member of the body. */
export const END_USER_HEADER = 'x-byway-end-user';

/** As pages spell it. */
const END_USER_FIELD = 'X-Byway-End-User';

/** A longer header is refused, a longer member counts as its hash. */
const MAX_END_USER_CHARACTERS = 256;

type Body = Readonly<Record<string, unknown>>;

/** The end user as the header, else as a member of the body names it; null = nobody. */
export function endUserOf(header: string | null, format: Format, body: Body): string | null {
  return headerText(header) ?? MEMBERS[format](body);
}

/** What is wrong with the header. */
export function endUserViolations(header: string | null): Violation[] {
  const text = headerText(header);
  if (text === null || [...text].length <= MAX_END_USER_CHARACTERS) return [];
  const message = `must have at most ${MAX_END_USER_CHARACTERS} characters`;
  return [{ field: END_USER_FIELD, rule: 'length', message }];
}

/** For a key that serves no request without an end user. */
export function missingEndUser(format: Format): Violation {
  const message = `must name the end user, or ${MEMBER_NAMES[format]} must: this API key requires one`;
  return { field: END_USER_FIELD, rule: 'required', message };
}

const MEMBER_NAMES: Readonly<Record<Format, string>> = {
  chat: 'the member safety_identifier, or user',
  messages: 'the member metadata.user_id',
  responses: 'the member safety_identifier, or user',
  completions: 'the member safety_identifier, or user',
  embeddings: 'the member safety_identifier, or user',
  rerank: 'the member safety_identifier, or user',
};

const MEMBERS: Readonly<Record<Format, (body: Body) => string | null>> = {
  chat: ofOpenAi,
  messages({ metadata }) {
    const userId = isObject(metadata) ? metadata.user_id : undefined;
    return typeof userId === 'string' ? memberText(namedUser(userId).person) : null;
  },
  responses: ofOpenAi,
  completions: ofOpenAi,
  embeddings: ofOpenAi,
  rerank: ofOpenAi,
};

function ofOpenAi({ safety_identifier, user }: Body): string | null {
  return memberText(safety_identifier) ?? memberText(user);
}

function memberText(value: unknown): string | null {
  if (!isText(value)) return null;
  // A character has one unit or two.
  const mayFit = value.length <= 2 * MAX_END_USER_CHARACTERS;
  if (mayFit && [...value].length <= MAX_END_USER_CHARACTERS) return storable(value);
  return `sha256:${createHash('sha256').update(value).digest('hex')}`;
}
