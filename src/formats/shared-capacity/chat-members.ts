/** The members of chats that have a price and a rule over shared capacity, by the protocol that they are sent in. */
import { googleSpellings } from './google-names.js';
import {
  BLOCK,
  CACHE_CONTROL,
  CACHEABLE,
  CONTEXT_MANAGEMENT,
  METADATA,
  MODES,
  OUTPUT_CONFIG,
  THINKING,
  TOOL_MEMBERS,
  TOOLS,
  USER_LOCATION,
} from './messages-members.js';
import { type AllowedShape, allowedMembersOf, extended, opaque, scalar, taggedBy, typesOf } from './shape.js';

/** Some clients send the bare URL instead of the object. */
const MEDIA = allowedMembersOf({ ...scalar('detail', 'format', 'media_type'), url: 'address' }, 'address');
const IMAGE_URL = allowedMembersOf({ ...CACHEABLE, ...scalar('index'), image_url: MEDIA }, 'address');

const TEXT = allowedMembersOf({ ...CACHEABLE, text: 'words', ...opaque('annotations') });

/** A part of a message. */
export const CONTENT_PART = taggedBy(
  {
    // Blocks of other APIs, which some hosts of chats take too.
    ...typesOf(BLOCK, 'image', 'document', 'search_result', 'tool_use', 'tool_result', 'redacted_thinking'),
    text: TEXT,
    input_text: TEXT,
    output_text: TEXT,
    reasoning: allowedMembersOf(scalar('type', 'text', 'signature')),
    refusal: allowedMembersOf(scalar('type', 'refusal')),
    thinking: allowedMembersOf({ ...scalar('type', 'signature', 'closed'), ...opaque('thinking') }),
    image_url: IMAGE_URL,
    input_image: extended(IMAGE_URL, scalar('detail')),
    audio_url: allowedMembersOf({ ...CACHEABLE, audio_url: MEDIA }),
    document_url: allowedMembersOf({ ...CACHEABLE, ...scalar('document_name'), document_url: MEDIA }),
    video_url: allowedMembersOf({ ...CACHEABLE, video_url: MEDIA }),
    input_audio: allowedMembersOf({
      ...CACHEABLE,
      input_audio: allowedMembersOf({ ...scalar('format'), data: 'address' }),
    }),
    file: allowedMembersOf({
      ...CACHEABLE,
      file: allowedMembersOf({ ...scalar('filename'), file_data: 'address' }),
    }),
  },
  allowedMembersOf({}),
  'words',
);

const CALLED = allowedMembersOf({ ...scalar('name'), ...opaque('arguments') });

/** Items of an earlier answer over the Responses API, or blocks of one of Anthropic's. */
const PROVIDER_BLOCK = taggedBy(
  {
    ...Object.fromEntries(BLOCK.shapes),
    message: allowedMembersOf({
      ...scalar('type', 'id', 'status', 'role', 'phase'),
      content: taggedBy(
        {
          output_text: extended(TEXT, opaque('logprobs')),
          refusal: allowedMembersOf(scalar('type', 'refusal')),
        },
        allowedMembersOf({}),
        'words',
      ),
    }),
    reasoning: allowedMembersOf({
      ...scalar('type', 'id', 'status', 'encrypted_content'),
      ...opaque('summary', 'content'),
    }),
    function_call: allowedMembersOf({
      ...scalar('type', 'id', 'status', 'call_id', 'name'),
      ...opaque('arguments'),
    }),
    custom_tool_call: allowedMembersOf({
      ...scalar('type', 'id', 'status', 'call_id', 'name'),
      ...opaque('input'),
    }),
    web_search_call: allowedMembersOf({ ...scalar('type', 'id', 'status'), ...opaque('action') }),
  },
  BLOCK.untyped,
);

const MESSAGE = allowedMembersOf({
  ...scalar('role', 'name', 'tool_call_id', 'refusal', 'reasoning', 'reasoning_content', 'prefix', 'partial'),
  // Members of earlier answers, which adapters read and do not send.
  ...opaque('reasoning_details', 'annotations'),
  images: IMAGE_URL,
  content: CONTENT_PART,
  cache_control: CACHE_CONTROL,
  function_call: CALLED,
  tool_calls: allowedMembersOf({
    ...CACHEABLE,
    ...scalar('index', 'id'),
    function: CALLED,
    custom: allowedMembersOf({ ...scalar('name'), ...opaque('input') }),
  }),
  // An earlier answer in audio, which the host stores for its account.
  audio: 'owned',
  provider_blocks: allowedMembersOf({ ...scalar('format'), blocks: PROVIDER_BLOCK }),
});

const FUNCTION = allowedMembersOf({
  ...scalar('name', 'description', 'strict'),
  ...opaque('parameters'),
  cache_control: CACHE_CONTROL,
});

/** Some clients send the function's members next to `type`. */
const FUNCTION_TOOL = extended(FUNCTION, { ...CACHEABLE, function: FUNCTION });

const CUSTOM_TOOL = allowedMembersOf({
  ...TOOL_MEMBERS,
  custom: allowedMembersOf({ ...scalar('name', 'description'), ...opaque('format') }),
});

/** Google's tools that are billed as a search. */
const GOOGLE_SEARCHES = [
  'google_search',
  'google_search_retrieval',
  'enterprise_web_search',
  'google_maps',
].flatMap(googleSpellings);

const GOOGLE_SEARCH = allowedMembersOf(
  Object.fromEntries([
    ...googleSpellings('exclude_domains').map((name) => [name, 'scalar']),
    ...googleSpellings('enable_widget').map((name) => [name, 'scalar']),
    ...googleSpellings('dynamic_retrieval_config').map((name) => [name, 'opaque']),
  ]),
);

const GOOGLE_TOOL = allowedMembersOf({
  ...scalar('type'),
  ...Object.fromEntries(GOOGLE_SEARCHES.map((name) => [name, GOOGLE_SEARCH])),
});

const SEARCH_TOOL = allowedMembersOf({
  ...scalar('type', 'name', 'search_context_size'),
  user_location: USER_LOCATION,
  parameters: allowedMembersOf(scalar('max_results', 'max_total_results')),
});

/** Searches, and tools that the client runs. Whether a search has a price is checked before anything is sent. */
const TOOL = taggedBy(
  {
    ...TOOLS,
    function: FUNCTION_TOOL,
    custom: CUSTOM_TOOL,
    apply_patch: allowedMembersOf(scalar('type')),
    local_shell: allowedMembersOf(scalar('type')),
    browser_search: SEARCH_TOOL,
    x_search: SEARCH_TOOL,
    'openrouter:web_search': SEARCH_TOOL,
    ...bothSpellings('computer_use', allowedMembersOf(scalar('type'))),
    ...Object.fromEntries(GOOGLE_SEARCHES.map((name) => [name, GOOGLE_TOOL])),
  },
  extended(CUSTOM_TOOL, { function: FUNCTION }),
);

const NAMED_TOOL = allowedMembersOf({
  ...scalar('type', 'name'),
  function: allowedMembersOf(scalar('name')),
});

/** Members that all hosts take, or that their adapters translate. */
const COMMON = allowedMembersOf({
  ...scalar('model', 'stream', 'max_tokens', 'max_completion_tokens', 'n', 'stop', 'seed', 'random_seed'),
  ...scalar('temperature', 'top_p', 'top_k', 'min_p', 'top_a', 'frequency_penalty', 'presence_penalty'),
  ...scalar('repetition_penalty', 'logprobs', 'top_logprobs', 'min_tokens', 'safe_prompt'),
  ...scalar('reasoning_effort', 'include_reasoning', 'verbosity', 'parallel_tool_calls'),
  // Planned with a price alone: `docs/routing.md#modes-without-a-price`.
  service_tier: 'word',
  ...scalar('modalities', 'user', 'safety_identifier', 'prompt_cache_key', 'structured_outputs'),
  ...opaque('logit_bias'),
  function_call: allowedMembersOf(scalar('name')),
  stream_options: allowedMembersOf(scalar('include_usage', 'include_obfuscation')),
  reasoning: allowedMembersOf(scalar('effort', 'max_tokens', 'enabled', 'exclude', 'summary')),
  prediction: allowedMembersOf({ ...scalar('type'), content: CONTENT_PART }),
  response_format: allowedMembersOf({
    ...scalar('type'),
    ...opaque('schema'),
    json_schema: allowedMembersOf({ ...scalar('name', 'description', 'strict'), ...opaque('schema') }),
  }),
  audio: allowedMembersOf(scalar('voice', 'format')),
  web_search_options: allowedMembersOf({ ...scalar('search_context_size'), user_location: USER_LOCATION }),
  cache_control: CACHE_CONTROL,
  messages: MESSAGE,
  functions: FUNCTION,
  tools: TOOL,
  tool_choice: allowedMembersOf({
    ...scalar('type', 'name', 'disable_parallel_tool_use'),
    allowed_tools: allowedMembersOf({ ...scalar('mode'), tools: NAMED_TOOL }),
    function: allowedMembersOf(scalar('name')),
    custom: allowedMembersOf(scalar('name')),
  }),
});

const OPENAI = extended(COMMON, {
  ...scalar('enable_thinking'),
  thinking: allowedMembersOf(scalar('type', 'clear_thinking')),
});

/** `betas` has a list of its own. */
const ANTHROPIC = extended(COMMON, {
  ...scalar('betas', 'stop_sequences'),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  context_management: CONTEXT_MANAGEMENT,
  metadata: METADATA,
});

const CONVERSE = extended(COMMON, {
  ...scalar('betas', 'additionalModelResponseFieldPaths'),
  serviceTier: allowedMembersOf({ type: 'word' }),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  context_management: CONTEXT_MANAGEMENT,
  additionalModelRequestFields: allowedMembersOf({
    ...scalar('top_k', 'topK', 'reasoning_effort'),
    thinking: THINKING,
    reasoningConfig: allowedMembersOf(scalar('type', 'maxReasoningEffort')),
    inferenceConfig: allowedMembersOf(scalar('topK')),
  }),
});

/** Members that limit the answer (`maxOutputTokens`, `candidateCount`) are taken from the chat only. */
const GENERATION_CONFIG = allowedMembersOf({
  ...scalar(
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
      'response_modalities',
      'media_resolution',
      'audio_timestamp',
    ].flatMap(googleSpellings),
  ),
  ...opaque(...['response_schema', 'response_json_schema', 'speech_config'].flatMap(googleSpellings)),
  ...bothSpellings(
    'thinking_config',
    allowedMembersOf(
      scalar(...['include_thoughts', 'thinking_budget', 'thinking_level'].flatMap(googleSpellings)),
    ),
  ),
});

const GEMINI = extended(COMMON, {
  ...bothSpellings('generation_config', GENERATION_CONFIG),
  ...bothSpellings('safety_settings', allowedMembersOf(scalar('category', 'threshold', 'method'))),
});

function bothSpellings(name: string, shape: AllowedShape): Readonly<Record<string, AllowedShape>> {
  return Object.fromEntries(googleSpellings(name).map((spelling) => [spelling, shape]));
}

export const CHAT_REQUESTS = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  converse: CONVERSE,
  gemini: GEMINI,
};

/** A chat for any protocol, with the gateway's own members. */
export const ANY_CHAT = [ANTHROPIC, CONVERSE, GEMINI].reduce(
  (all, { members }) => extended(all, Object.fromEntries(members)),
  extended(OPENAI, { ...MODES, ...opaque('models', 'provider') }),
);
