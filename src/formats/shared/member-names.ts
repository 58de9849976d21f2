/** What the formats of requests call the members of a chat. */
import type { NativeFormat, ServedFormat } from '../../catalog/types.js';
import { ADAPTABLE_MEMBERS, MESSAGES_NAMES } from '../messages/member-names.js';

const SAME: ReadonlyMap<string, string> = new Map();

/** Members of a chat by the format's names, where those are others. */
export const MEMBER_NAMES: Readonly<Record<ServedFormat, ReadonlyMap<string, string>>> = {
  chat: SAME,
  messages: MESSAGES_NAMES,
};

/** By the chat's names, the members without which a request in its own format asks for the same. */
export const NATIVE_MEMBERS: Readonly<Record<NativeFormat, ReadonlyMap<string, string>>> = {
  messages: ADAPTABLE_MEMBERS,
};
