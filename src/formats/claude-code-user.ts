/**
 * What Claude Code names in one text, in `metadata.user_id`: device, account and session. Since 2.1.78 it is
 * `{"device_id":"…","account_uuid":"…","session_id":"…"}`, before `user_DEVICE_account_ACCOUNT_session_SESSION`; the account is
 * empty where it has none (https://github.com/ding113/claude-code-hub/pull/939, looked up on 2026-11-26). Other clients write
 * the like (https://github.com/can1357/oh-my-pi/pull/971, looked up on 2026-11-26).
 */
import { isText } from './client-text.js';
import { isObject } from './json.js';

interface NamedUser {
  /** Who it is, without the session; null = nobody. */
  readonly person: string | null;
  /** null = none. */
  readonly session: string | null;
}

/** Longer texts are not looked into. Claude Code's have some 200 characters. */
const MAX_JSON_CHARACTERS = 4_096;

const ACCOUNT = '_account_';
const SESSION = '_session_';

/** A text of any other form is all person. */
export function namedUser(userId: string): NamedUser {
  const named = userId.startsWith('{') ? jsonObject(userId) : null;
  if (named !== null) return userIn(named, userId);
  const account = userId.startsWith('user_') ? userId.indexOf(ACCOUNT) : -1;
  const session = account < 0 ? -1 : userId.lastIndexOf(SESSION);
  if (session <= account) return { person: userId, session: null };
  return { person: userId.slice(0, session), session: textOrNull(userId.slice(session + SESSION.length)) };
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  if (text.length > MAX_JSON_CHARACTERS) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function userIn({ session_id, ...others }: Readonly<Record<string, unknown>>, text: string): NamedUser {
  const session = textOrNull(session_id);
  const person = [others.account_uuid, others.device_id].find(isText);
  if (person !== undefined) return { person, session };
  const named = Object.entries(others).filter(([, value]) => value !== null && value !== '');
  if (named.length === 0) return { person: null, session };
  return { person: session_id === undefined ? text : JSON.stringify(Object.fromEntries(named)), session };
}

function textOrNull(value: unknown): string | null {
  return isText(value) ? value : null;
}
