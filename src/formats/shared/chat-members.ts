/** Members of chats that have a price and a rule over shared capacity, by the protocol that they are sent in. */
import { spellingsOf } from './google-names.js';
import { BLOCK, CONTEXT_MANAGEMENT, METADATA, OUTPUT_CONFIG, THINKING } from './messages-members.js';
import { extended, membersOf, opaque, type Shape, taggedBy } from './shape.js';

const CACHE_CONTROL = membersOf(opaque('type', 'ttl', 'scope'));
const MARKED = { ...opaque('type'), cache_control: CACHE_CONTROL };

/** Its URL may stand in its place, as some clients send it. */
const MEDIA = membersOf({ ...opaque('detail', 'format', 'media_type'), url: 'address' }, 'address');

const PART = taggedBy({
  text: membersOf({ ...MARKED, ...opaque('text') }),
  refusal: membersOf(opaque('type', 'refusal')),
  thinking: membersOf(opaque('type', 'thinking', 'signature', 'closed')),
  image_url: membersOf({ ...MARKED, image_url: MEDIA }),
  video_url: membersOf({ ...MARKED, video_url: MEDIA }),
  input_audio: membersOf({ ...MARKED, input_audio: membersOf({ ...opaque('format'), data: 'address' }) }),
  file: membersOf({ ...MARKED, file: membersOf({ ...opaque('filename'), file_data: 'address' }) }),
});

const CALLED = membersOf(opaque('name', 'arguments'));

const MESSAGE = membersOf({
  ...opaque('role', 'name', 'tool_call_id', 'refusal', 'reasoning', 'reasoning_content', 'prefix', 'partial'),
  // Members of earlier answers, which adapters read and leave out.
  ...opaque('reasoning_details', 'annotations', 'images'),
  content: PART,
  cache_control: CACHE_CONTROL,
  function_call: CALLED,
  tool_calls: membersOf({
    ...MARKED,
    ...opaque('index', 'id'),
    function: CALLED,
    custom: membersOf(opaque('name', 'input')),
  }),
  // An earlier answer in sound, which the host keeps for its account.
  audio: 'owned',
  provider_blocks: membersOf({ ...opaque('format'), blocks: BLOCK }),
});

const FUNCTION = membersOf({
  ...opaque('name', 'description', 'parameters', 'strict'),
  cache_control: CACHE_CONTROL,
});

/** A tool of the client, or one that a host runs: which of those is judged before anything is sent. */
const TYPED_TOOL = membersOf({
  ...MARKED,
  ...opaque('name', 'description', 'input_schema', 'strict', 'input_examples', 'defer_loading'),
  ...opaque('max_uses', 'allowed_domains', 'blocked_domains', 'user_location', 'max_characters'),
  ...opaque('display_width_px', 'display_height_px', 'display_number'),
  function: FUNCTION,
  custom: membersOf(opaque('name', 'description', 'format')),
});

/** Google's tools that have the price of a search. */
export const GOOGLE_SEARCHES = [
  'google_search',
  'google_search_retrieval',
  'enterprise_web_search',
  'google_maps',
].flatMap(spellingsOf);

const SEARCH = membersOf(
  opaque(...['exclude_domains', 'dynamic_retrieval_config', 'enable_widget'].flatMap(spellingsOf)),
);

const GOOGLE_TOOL = membersOf({
  ...opaque('type'),
  ...Object.fromEntries(GOOGLE_SEARCHES.map((name) => [name, SEARCH])),
});

const TOOL = taggedBy(Object.fromEntries(GOOGLE_SEARCHES.map((name) => [name, GOOGLE_TOOL])), {
  untyped: extended(TYPED_TOOL, Object.fromEntries(GOOGLE_TOOL.members)),
  otherwise: TYPED_TOOL,
});

/** What all hosts take, or their adapters translate. */
const COMMON = membersOf({
  ...opaque('model', 'stream', 'max_tokens', 'max_completion_tokens', 'n', 'stop', 'seed', 'random_seed'),
  ...opaque('temperature', 'top_p', 'top_k', 'min_p', 'top_a', 'frequency_penalty', 'presence_penalty'),
  ...opaque('repetition_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'min_tokens', 'safe_prompt'),
  ...opaque('reasoning_effort', 'include_reasoning', 'verbosity', 'parallel_tool_calls', 'function_call'),
  ...opaque('modalities', 'user', 'safety_identifier', 'prompt_cache_key', 'structured_outputs'),
  stream_options: membersOf(opaque('include_usage', 'include_obfuscation')),
  reasoning: membersOf(opaque('effort', 'max_tokens', 'enabled', 'exclude', 'summary')),
  prediction: membersOf(opaque('type', 'content')),
  response_format: membersOf({
    ...opaque('type'),
    json_schema: membersOf(opaque('name', 'description', 'schema', 'strict')),
  }),
  audio: membersOf(opaque('voice', 'format')),
  web_search_options: membersOf(opaque('search_context_size', 'user_location')),
  cache_control: CACHE_CONTROL,
  messages: MESSAGE,
  functions: FUNCTION,
  tools: TOOL,
  tool_choice: membersOf({
    ...opaque('type', 'name', 'allowed_tools', 'disable_parallel_tool_use'),
    function: membersOf(opaque('name')),
    custom: membersOf(opaque('name')),
  }),
});

const OPENAI = extended(COMMON, {
  ...opaque('enable_thinking'),
  thinking: membersOf(opaque('type', 'clear_thinking')),
});

/** `betas` have a list of their own. */
const ANTHROPIC = extended(COMMON, {
  ...opaque('betas', 'stop_sequences'),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  context_management: CONTEXT_MANAGEMENT,
  metadata: METADATA,
});

const CONVERSE = extended(COMMON, {
  ...opaque('betas', 'additionalModelResponseFieldPaths'),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  context_management: CONTEXT_MANAGEMENT,
  additionalModelRequestFields: membersOf({
    ...opaque('top_k', 'topK', 'reasoning_effort'),
    thinking: THINKING,
    reasoningConfig: membersOf(opaque('type', 'maxReasoningEffort')),
    inferenceConfig: membersOf(opaque('topK')),
  }),
});

/** What decides how much is answered (`maxOutputTokens`, `candidateCount`) is the chat's alone. */
const GENERATION_CONFIG = membersOf(
  opaque(
    ...[
      'temperature',
      'top_p',
      'top_k',
      'seed',
      'stop_sequences',
      'presence_penalty',
      'frequency_penalty',
      'response_logprobs',
      'logprobs',
      'response_mime_type',
      'response_schema',
      'response_json_schema',
      'response_modalities',
      'media_resolution',
      'audio_timestamp',
      'speech_config',
      'thinking_config',
    ].flatMap(spellingsOf),
  ),
);

const SAFETY_SETTINGS = membersOf(opaque('category', 'threshold', 'method'));

const GEMINI = extended(COMMON, {
  ...bothSpellings('generation_config', GENERATION_CONFIG),
  ...bothSpellings('safety_settings', SAFETY_SETTINGS),
});

function bothSpellings(name: string, shape: Shape): Readonly<Record<string, Shape>> {
  return Object.fromEntries(spellingsOf(name).map((spelling) => [spelling, shape]));
}

export const CHAT_REQUESTS = { openai: OPENAI, anthropic: ANTHROPIC, converse: CONVERSE, gemini: GEMINI };

/** A chat as any of them, with the members that are the gateway's own. */
export const ANY_CHAT = [ANTHROPIC, CONVERSE, GEMINI].reduce(
  (all, { members }) => extended(all, Object.fromEntries(members)),
  extended(OPENAI, opaque('models', 'provider')),
);
