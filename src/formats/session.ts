/** The header in which Claude Code names its session. */
export const CLAUDE_CODE_SESSION = 'x-claude-code-session-id';

/** The longest name that counts, the longest that the APIs with such a member take. */
const MAX_SESSION_CHARACTERS = 256;

/** Members of requests that name a conversation, or who has it, from the narrowest on. */
const SESSION_MEMBERS = ['prompt_cache_key', 'session_id', 'user'];

/**
 * What the client calls the conversation that the request belongs to: its own header, else the first of
 * `SESSION_MEMBERS` that is a usable text; null = nothing. See `docs/routing.md#sessions`.
 */
export function sessionOf(header: string | null, body: Readonly<Record<string, unknown>>): string | null {
  return [header, ...SESSION_MEMBERS.map((member) => body[member])].find(isSessionName) ?? null;
}

function isSessionName(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== '' && name.length <= MAX_SESSION_CHARACTERS;
}
