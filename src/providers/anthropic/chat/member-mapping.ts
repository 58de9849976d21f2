import type { JsonObject } from '../../../formats/chat/types.js';
import { members } from '../../../formats/json.js';
import { type MemberMapping, TRANSLATED } from '../../common/adapted.js';

const SAME = [
  ...[
    'cache_control',
    'container',
    'context_management',
    'diagnostics',
    'fallbacks',
    'inference_geo',
    'mcp_servers',
  ],
  ...['service_tier', 'speed', 'stop_sequences', 'temperature', 'thinking', 'top_k', 'top_p'],
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
