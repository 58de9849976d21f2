import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, members } from '../../../formats/json.js';
import { type MemberMapping, TRANSLATED } from '../../common/adapted.js';

/** Members that a Responses request calls by the same name, its own among them. */
export const SAME = [
  ...['context_management', 'max_tool_calls', 'metadata', 'moderation', 'parallel_tool_calls'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier'],
  ...['service_tier', 'temperature', 'top_logprobs', 'top_p', 'truncation', 'user'],
] as const;

/** Asks for the probabilities of tokens. */
export const LOGPROBS = 'message.output_text.logprobs';

const limit = ({ max_output_tokens }: JsonObject) => max_output_tokens;

/** What a Responses request has for each member of a chat. */
export const RESPONSES_MAPPING: MemberMapping = {
  ...TRANSLATED,
  ...Object.fromEntries(SAME.map((name) => [name, (sent: JsonObject) => sent[name]])),
  include: ({ include }) => include,
  logprobs: ({ include }) => (elements(include).includes(LOGPROBS) ? true : undefined),
  max_completion_tokens: limit,
  max_tokens: limit,
  modalities: true,
  verbosity: ({ text }) => members(text).verbosity,
};

/** The chat's names of members that a request has elsewhere. */
export const CHAT_NAMES: ReadonlyMap<string, string> = new Map([
  ['include', 'logprobs'],
  ['reasoning.effort', 'reasoning'],
  ['reasoning.summary', 'reasoning'],
  ['text.format', 'response_format'],
  ['text.verbosity', 'verbosity'],
]);
