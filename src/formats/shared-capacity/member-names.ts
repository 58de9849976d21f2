/** What the formats call the members of a chat. */
import type { Format, NativeFormat } from '../../catalog/types.js';
import { ADAPTABLE_IN_COMPLETIONS, COMPLETIONS_NAMES } from '../completions/member-names.js';
import { ADAPTABLE_IN_EMBEDDINGS, EMBEDDINGS_NAMES } from '../embeddings/member-names.js';
import { ADAPTABLE_MEMBERS, MESSAGES_NAMES } from '../messages/member-names.js';
import { ADAPTABLE_IN_RERANK, RERANK_NAMES } from '../rerank/member-names.js';
import { ADAPTABLE_IN_RESPONSES, RESPONSES_NAMES } from '../responses/member-names.js';

const SAME: ReadonlyMap<string, string> = new Map();

/** The format's names of a chat's members, where they differ. */
export const MEMBER_NAMES: Readonly<Record<Format, ReadonlyMap<string, string>>> = {
  chat: SAME,
  messages: MESSAGES_NAMES,
  responses: RESPONSES_NAMES,
  completions: COMPLETIONS_NAMES,
  embeddings: EMBEDDINGS_NAMES,
  rerank: RERANK_NAMES,
};

/** By the chat's names: members without which a native request still asks for the same. */
export const NATIVE_MEMBERS: Readonly<Record<NativeFormat, ReadonlyMap<string, string>>> = {
  messages: ADAPTABLE_MEMBERS,
  responses: ADAPTABLE_IN_RESPONSES,
  completions: ADAPTABLE_IN_COMPLETIONS,
  embeddings: ADAPTABLE_IN_EMBEDDINGS,
  rerank: ADAPTABLE_IN_RERANK,
};
