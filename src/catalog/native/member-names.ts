/** Names of members of a request, as quirks and contracts have them. */
import type { JsonReader } from '../input/json-reader.js';

/** No name of a prototype's. */
const MEMBER = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** What a request is about can't be renamed or taken away. */
const FIXED: readonly string[] = ['model', 'messages', 'tools', 'tool_choice', 'response_format', 'stream'];

export function readMemberName(at: JsonReader): string {
  const name = at.matching(MEMBER, 'the name of a member');
  if (FIXED.includes(name)) at.violation('fixed', `must not be ${name}`);
  return name;
}

export function checkMemberName(name: string, at: JsonReader): void {
  if (!MEMBER.test(name)) at.violation('pattern', 'must have the name of a member');
  if (FIXED.includes(name)) at.violation('fixed', 'can be neither renamed, set nor left out');
}
