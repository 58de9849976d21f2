/** The header in which Claude Code names its session. */
export const CLAUDE_CODE_SESSION = 'x-claude-code-session-id';

/** Longer names are ignored. It is the maximum of the APIs that have such a member. */
const MAX_SESSION_CHARACTERS = 256;

/** Members that name a conversation or its user, the most specific first. */
const SESSION_MEMBERS = ['prompt_cache_key', 'session_id', 'user'];

/**
 * The client's name for the conversation: its own header, else the first of `SESSION_MEMBERS` with a usable text; null
 * = none. See `docs/routing.md#sessions`.
 */
export function sessionOf(header: string | null, body: Readonly<Record<string, unknown>>): string | null {
  return [header, ...SESSION_MEMBERS.map((member) => body[member])].find(isSessionName) ?? null;
}

function isSessionName(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== '' && name.length <= MAX_SESSION_CHARACTERS;
}
