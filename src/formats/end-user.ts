/** Who a request is made for, behind its API key. See `docs/money.md#end-users`. */
import { createHash } from 'node:crypto';
import type { Violation } from '../base/problem.js';
import type { ServedFormat } from '../catalog/types.js';
import { isObject } from './json.js';

/** Names the end user, before any member of the body. */
export const END_USER_HEADER = 'x-byway-end-user';

/** As pages spell it. */
const END_USER_FIELD = 'X-Byway-End-User';

/** A longer header is refused, a longer member counts as its hash. */
const MAX_END_USER_CHARACTERS = 256;

/** Longer texts are not looked into. Claude Code's have some 200 characters. */
const MAX_JSON_CHARACTERS = 4_096;

type Body = Readonly<Record<string, unknown>>;

/** The end user as the header, else as a member of the body names it; null = nobody. */
export function endUserOf(header: string | null, format: ServedFormat, body: Body): string | null {
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
export function missingEndUser(format: ServedFormat): Violation {
  const message = `must name the end user, or ${MEMBER_NAMES[format]} must: this API key requires one`;
  return { field: END_USER_FIELD, rule: 'required', message };
}

const MEMBER_NAMES: Readonly<Record<ServedFormat, string>> = {
  chat: 'the member safety_identifier, or user',
  messages: 'the member metadata.user_id',
  responses: 'the member safety_identifier, or user',
  completions: 'the member safety_identifier, or user',
};

const MEMBERS: Readonly<Record<ServedFormat, (body: Body) => string | null>> = {
  chat: ofOpenAi,
  messages({ metadata }) {
    const userId = isObject(metadata) ? metadata.user_id : undefined;
    return typeof userId === 'string' ? memberText(withoutSession(userId)) : null;
  },
  responses: ofOpenAi,
  completions: ofOpenAi,
};

function ofOpenAi({ safety_identifier, user }: Body): string | null {
  return memberText(safety_identifier) ?? memberText(user);
}

/**
 * Claude Code names device, account and session in one text; of an end user the session is no part. Since 2.1.78 it is
 * `{"device_id":"…","account_uuid":"…","session_id":"…"}`, before `user_DEVICE_account_ACCOUNT_session_SESSION`; the account is
 * empty where it has none (https://github.com/ding113/claude-code-hub/pull/939, looked up on 2026-11-26).
 */
function withoutSession(userId: string): string | null {
  const named = userId.startsWith('{') ? jsonObject(userId) : null;
  if (named !== null) return personIn(named, userId);
  const account = userId.startsWith('user_') ? userId.indexOf('_account_') : -1;
  const session = account < 0 ? -1 : userId.lastIndexOf('_session_');
  return session > account ? userId.slice(0, session) : userId;
}

function jsonObject(text: string): Body | null {
  if (text.length > MAX_JSON_CHARACTERS) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Other clients write a session in the same place (https://github.com/can1357/oh-my-pi/pull/971, looked up on 2026-11-26). */
function personIn({ session_id: session, ...others }: Body, text: string): string | null {
  const person = [others.account_uuid, others.device_id].find(isText);
  if (person !== undefined) return person;
  const named = Object.entries(others).filter(([, value]) => value !== null && value !== '');
  if (named.length === 0) return null;
  return session === undefined ? text : JSON.stringify(Object.fromEntries(named));
}

/** HTTP/1.1 gives the bytes of a header as Latin-1; clients send UTF-8. */
function headerText(header: string | null): string | null {
  if (!isText(header)) return null;
  const bytes = Buffer.from(header, 'latin1');
  const isLatin1 = header === bytes.toString('latin1');
  const decoded = isLatin1 ? bytes.toString('utf8') : header;
  return storable(decoded.includes(REPLACEMENT) ? header : decoded);
}

function memberText(value: unknown): string | null {
  if (!isText(value)) return null;
  // A character has one unit or two.
  const mayFit = value.length <= 2 * MAX_END_USER_CHARACTERS;
  if (mayFit && [...value].length <= MAX_END_USER_CHARACTERS) return storable(value);
  return `sha256:${createHash('sha256').update(value).digest('hex')}`;
}

const REPLACEMENT = '\uFFFD';

/** What no database can hold is replaced here, so that a name is read back as it was written. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
