/** The client's name for the conversation: `docs/routing.md#sessions`. */
import { namedUser } from '../claude-code-user.js';
import { headerText, isText, storable } from '../client-text.js';
import { isObject } from '../json.js';

/**
 * Headers in which clients name it, the most specific first; who sends which, and where that is from, is in
 * `docs/routing.md#sessions`.
 */
const SESSION_HEADERS = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'x-session-id',
  'x-session-affinity',
];

/** Members that name a conversation, the most specific first. */
const SESSION_MEMBERS = ['prompt_cache_key', 'session_id'];

/** Longer names are ignored. It is the maximum of the APIs that have such a member. */
const MAX_SESSION_CHARACTERS = 256;

/**
 * The first usable name: of the headers, else of the members, else the session that `metadata.user_id` or `user` names, else
 * these themselves; null = none. `body` is that of any API.
 */
export function sessionOf(
  headers: Pick<Headers, 'get'>,
  body: Readonly<Record<string, unknown>>,
): string | null {
  for (const header of SESSION_HEADERS) {
    const name = headerText(headers.get(header));
    if (isSessionName(name)) return name;
  }
  for (const member of SESSION_MEMBERS) {
    const name = body[member];
    if (isSessionName(name)) return storable(name);
  }
  return sessionOfUser(isObject(body.metadata) ? body.metadata.user_id : undefined, body.user);
}

function sessionOfUser(...users: readonly unknown[]): string | null {
  const named = users.filter(isText).map(namedUser);
  const names = [...named.map(({ session }) => session), ...named.map(({ person }) => person)];
  const name = names.find(isSessionName);
  return name === undefined ? null : storable(name);
}

function isSessionName(name: unknown): name is string {
  return isText(name) && name.length <= MAX_SESSION_CHARACTERS;
}
