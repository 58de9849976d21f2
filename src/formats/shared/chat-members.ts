/** Members of chats that have a price and a rule over shared capacity, by the protocol that they are sent in. */
import { spellingsOf } from './google-names.js';
import {
  BLOCK,
  CACHE_CONTROL,
  CONTEXT_MANAGEMENT,
  MARKED,
  METADATA,
  OUTPUT_CONFIG,
  THINKING,
  TOOL_MEMBERS,
  TOOLS,
  USER_LOCATION,
} from './messages-members.js';
import { extended, membersOf, opaque, type Shape, scalar, taggedBy, typesOf } from './shape.js';

/** Its URL may stand in its place, as some clients send it. */
const MEDIA = membersOf({ ...scalar('detail', 'format', 'media_type'), url: 'address' }, 'address');
const IMAGE_URL = membersOf({ ...MARKED, ...scalar('index'), image_url: MEDIA }, 'address');

const TEXT = membersOf({ ...MARKED, text: 'words', ...opaque('annotations') });

const PART = taggedBy(
  {
    // As other APIs have them, which some hosts of chats take too.
    ...typesOf(BLOCK, 'image', 'document', 'search_result', 'tool_use', 'tool_result', 'redacted_thinking'),
    text: TEXT,
    input_text: TEXT,
    output_text: TEXT,
    reasoning: membersOf(scalar('type', 'text', 'signature')),
    refusal: membersOf(scalar('type', 'refusal')),
    thinking: membersOf({ ...scalar('type', 'signature', 'closed'), ...opaque('thinking') }),
    image_url: IMAGE_URL,
    input_image: extended(IMAGE_URL, scalar('detail')),
    audio_url: membersOf({ ...MARKED, audio_url: MEDIA }),
    document_url: membersOf({ ...MARKED, ...scalar('document_name'), document_url: MEDIA }),
    video_url: membersOf({ ...MARKED, video_url: MEDIA }),
    input_audio: membersOf({
      ...MARKED,
      input_audio: membersOf({ ...scalar('format'), data: 'address' }),
    }),
    file: membersOf({ ...MARKED, file: membersOf({ ...scalar('filename'), file_data: 'address' }) }),
  },
  membersOf({}),
  'words',
);

const CALLED = membersOf({ ...scalar('name'), ...opaque('arguments') });

const MESSAGE = membersOf({
  ...scalar('role', 'name', 'tool_call_id', 'refusal', 'reasoning', 'reasoning_content', 'prefix', 'partial'),
  // Members of earlier answers, which adapters read and leave out.
  ...opaque('reasoning_details', 'annotations'),
  images: IMAGE_URL,
  content: PART,
  cache_control: CACHE_CONTROL,
  function_call: CALLED,
  tool_calls: membersOf({
    ...MARKED,
    ...scalar('index', 'id'),
    function: CALLED,
    custom: membersOf({ ...scalar('name'), ...opaque('input') }),
  }),
  // An earlier answer in sound, which the host keeps for its account.
  audio: 'owned',
  provider_blocks: membersOf({ ...scalar('format'), blocks: BLOCK }),
});

const FUNCTION = membersOf({
  ...scalar('name', 'description', 'strict'),
  ...opaque('parameters'),
  cache_control: CACHE_CONTROL,
});

/** Some clients send the function's members beside its type. */
const FUNCTION_TOOL = extended(FUNCTION, { ...MARKED, function: FUNCTION });

const CUSTOM_TOOL = membersOf({
  ...TOOL_MEMBERS,
  custom: membersOf({ ...scalar('name', 'description'), ...opaque('format') }),
});

/** Google's tools that have the price of a search. */
const GOOGLE_SEARCHES = [
  'google_search',
  'google_search_retrieval',
  'enterprise_web_search',
  'google_maps',
].flatMap(spellingsOf);

const GOOGLE_SEARCH = membersOf(
  Object.fromEntries([
    ...spellingsOf('exclude_domains').map((name) => [name, 'scalar']),
    ...spellingsOf('enable_widget').map((name) => [name, 'scalar']),
    ...spellingsOf('dynamic_retrieval_config').map((name) => [name, 'opaque']),
  ]),
);

const GOOGLE_TOOL = membersOf({
  ...scalar('type'),
  ...Object.fromEntries(GOOGLE_SEARCHES.map((name) => [name, GOOGLE_SEARCH])),
});

const SEARCH_TOOL = membersOf({
  ...scalar('type', 'name', 'search_context_size'),
  user_location: USER_LOCATION,
  parameters: membersOf(scalar('max_results', 'max_total_results')),
});

/** Searches and what the client runs itself; whether a search has a price is judged before anything is sent. */
const TOOL = taggedBy(
  {
    ...TOOLS,
    function: FUNCTION_TOOL,
    custom: CUSTOM_TOOL,
    apply_patch: membersOf(scalar('type')),
    local_shell: membersOf(scalar('type')),
    browser_search: SEARCH_TOOL,
    x_search: SEARCH_TOOL,
    'openrouter:web_search': SEARCH_TOOL,
    ...bothSpellings('computer_use', membersOf(scalar('type'))),
    ...Object.fromEntries(GOOGLE_SEARCHES.map((name) => [name, GOOGLE_TOOL])),
  },
  extended(CUSTOM_TOOL, { function: FUNCTION }),
);

const NAMED_TOOL = membersOf({ ...scalar('type', 'name'), function: membersOf(scalar('name')) });

/** What all hosts take, or their adapters translate. */
const COMMON = membersOf({
  ...scalar('model', 'stream', 'max_tokens', 'max_completion_tokens', 'n', 'stop', 'seed', 'random_seed'),
  ...scalar('temperature', 'top_p', 'top_k', 'min_p', 'top_a', 'frequency_penalty', 'presence_penalty'),
  ...scalar('repetition_penalty', 'logprobs', 'top_logprobs', 'min_tokens', 'safe_prompt'),
  ...scalar('reasoning_effort', 'include_reasoning', 'verbosity', 'parallel_tool_calls'),
  ...scalar('modalities', 'user', 'safety_identifier', 'prompt_cache_key', 'structured_outputs'),
  ...opaque('logit_bias'),
  function_call: membersOf(scalar('name')),
  stream_options: membersOf(scalar('include_usage', 'include_obfuscation')),
  reasoning: membersOf(scalar('effort', 'max_tokens', 'enabled', 'exclude', 'summary')),
  prediction: membersOf({ ...scalar('type'), content: PART }),
  response_format: membersOf({
    ...scalar('type'),
    ...opaque('schema'),
    json_schema: membersOf({ ...scalar('name', 'description', 'strict'), ...opaque('schema') }),
  }),
  audio: membersOf(scalar('voice', 'format')),
  web_search_options: membersOf({ ...scalar('search_context_size'), user_location: USER_LOCATION }),
  cache_control: CACHE_CONTROL,
  messages: MESSAGE,
  functions: FUNCTION,
  tools: TOOL,
  tool_choice: membersOf({
    ...scalar('type', 'name', 'disable_parallel_tool_use'),
    allowed_tools: membersOf({ ...scalar('mode'), tools: NAMED_TOOL }),
    function: membersOf(scalar('name')),
    custom: membersOf(scalar('name')),
  }),
});

const OPENAI = extended(COMMON, {
  ...scalar('enable_thinking'),
  thinking: membersOf(scalar('type', 'clear_thinking')),
});

/** `betas` have a list of their own. */
const ANTHROPIC = extended(COMMON, {
  ...scalar('betas', 'stop_sequences'),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  context_management: CONTEXT_MANAGEMENT,
  metadata: METADATA,
});

const CONVERSE = extended(COMMON, {
  ...scalar('betas', 'additionalModelResponseFieldPaths'),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  context_management: CONTEXT_MANAGEMENT,
  additionalModelRequestFields: membersOf({
    ...scalar('top_k', 'topK', 'reasoning_effort'),
    thinking: THINKING,
    reasoningConfig: membersOf(scalar('type', 'maxReasoningEffort')),
    inferenceConfig: membersOf(scalar('topK')),
  }),
});

/** What decides how much is answered (`maxOutputTokens`, `candidateCount`) is the chat's alone. */
const GENERATION_CONFIG = membersOf({
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
    ].flatMap(spellingsOf),
  ),
  ...opaque(...['response_schema', 'response_json_schema', 'speech_config'].flatMap(spellingsOf)),
  ...bothSpellings(
    'thinking_config',
    membersOf(scalar(...['include_thoughts', 'thinking_budget', 'thinking_level'].flatMap(spellingsOf))),
  ),
});

const GEMINI = extended(COMMON, {
  ...bothSpellings('generation_config', GENERATION_CONFIG),
  ...bothSpellings('safety_settings', membersOf(scalar('category', 'threshold', 'method'))),
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
