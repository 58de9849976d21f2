import type { JsonObject } from '../../../formats/chat/types.js';
import { members } from '../../../formats/json.js';
import { type MemberMapping, TRANSLATED } from '../../common/adapted.js';
import { HOST_MEMBERS } from './host-members.js';

const SAME = [
  ...HOST_MEMBERS,
  ...['cache_control', 'service_tier', 'temperature', 'thinking', 'top_k', 'top_p'],
];

const userId = ({ metadata }: JsonObject) => members(metadata).user_id;
const limit = ({ max_tokens }: JsonObject) => max_tokens;

/** What a Messages request has for each member of a chat. */
export const MESSAGES_MAPPING: MemberMapping = {
  ...TRANSLATED,
  ...Object.fromEntries(SAME.map((name) => [name, (sent: JsonObject) => sent[name]])),
  betas: true,
  max_completion_tokens: limit,
  max_tokens: limit,
  metadata: userId,
  output_config: true,
  parallel_tool_calls: true,
  stop: ({ stop_sequences }) => stop_sequences,
  user: userId,
  verbosity: ({ output_config }) => members(output_config).effort,
};
