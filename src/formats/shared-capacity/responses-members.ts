/** The members of OpenAI's Responses format that have a price and a rule over shared capacity. */
import { allowedMembersOf, opaque, optionalBy, scalar, taggedBy } from './shape.js';

const NOTHING = allowedMembersOf({});

/** Clients of chats send the object that those have. */
const IMAGE_URL = allowedMembersOf({ ...scalar('detail'), url: 'address' }, 'address');

/** Files that are stored at the host are its owner's. */
const PART = optionalBy(
  {
    input_text: allowedMembersOf(scalar('type', 'text')),
    output_text: allowedMembersOf({ ...scalar('type', 'text'), ...opaque('annotations', 'logprobs') }),
    text: allowedMembersOf(scalar('type', 'text')),
    summary_text: allowedMembersOf(scalar('type', 'text')),
    reasoning_text: allowedMembersOf(scalar('type', 'text')),
    refusal: allowedMembersOf(scalar('type', 'refusal')),
    encrypted_content: allowedMembersOf(scalar('type', 'encrypted_content')),
    input_image: allowedMembersOf({ ...scalar('type', 'detail'), image_url: IMAGE_URL, file_id: 'owned' }),
    image_url: allowedMembersOf({ ...scalar('type', 'detail'), image_url: IMAGE_URL }),
    computer_screenshot: allowedMembersOf({ ...scalar('type'), image_url: 'address', file_id: 'owned' }),
    input_file: allowedMembersOf({
      ...scalar('type', 'filename', 'detail'),
      ...{ file_data: 'address', file_url: 'address', file_id: 'owned' },
    }),
    input_audio: allowedMembersOf({
      ...scalar('type'),
      input_audio: allowedMembersOf({ ...scalar('format'), data: 'address' }),
    }),
  },
  NOTHING,
);

const ITEM_MEMBERS = scalar('type', 'id', 'status', 'call_id', 'created_by');

const CALL = allowedMembersOf({
  ...ITEM_MEMBERS,
  ...scalar('name', 'namespace', 'arguments', 'input'),
  ...opaque('caller'),
});
const OUTPUT = allowedMembersOf({ ...ITEM_MEMBERS, ...scalar('name'), ...opaque('caller'), output: PART });
const MESSAGE = allowedMembersOf({
  ...ITEM_MEMBERS,
  ...scalar('role', 'phase', 'author', 'recipient'),
  content: PART,
});

/** Calls that a host or its client has made, and their outputs: hosts only show them to the model. */
const MADE = allowedMembersOf({
  ...ITEM_MEMBERS,
  ...scalar('name', 'arguments', 'server_label', 'error', 'code', 'queries', 'result', 'max_output_length'),
  ...scalar('execution', 'approval_request_id', 'approve', 'reason', 'revised_prompt'),
  ...opaque('action', 'actions', 'operation', 'output', 'outputs', 'pending_safety_checks'),
  ...opaque('acknowledged_safety_checks'),
  container_id: 'owned',
});

const NAMED_TOOL = allowedMembersOf(scalar('type', 'name', 'namespace'));

const FUNCTION = allowedMembersOf({
  ...scalar('type', 'name', 'description', 'strict', 'defer_loading', 'allowed_callers'),
  ...opaque('parameters', 'output_schema'),
});

const CUSTOM = allowedMembersOf({
  ...scalar('type', 'name', 'description', 'defer_loading', 'allowed_callers'),
  ...opaque('format'),
});

/** Tools that the client runs, and the search for them. Others are sent where they have a price and a maximum. */
const TOOL = optionalBy(
  {
    function: FUNCTION,
    custom: CUSTOM,
    namespace: allowedMembersOf({
      ...scalar('type', 'name', 'description'),
      tools: optionalBy({ function: FUNCTION, custom: CUSTOM }, NOTHING),
    }),
    local_shell: allowedMembersOf(scalar('type')),
    apply_patch: allowedMembersOf(scalar('type')),
    computer: allowedMembersOf(scalar('type')),
    computer_use_preview: allowedMembersOf(scalar('type', 'display_width', 'display_height', 'environment')),
    tool_search: allowedMembersOf({ ...scalar('type', 'execution', 'description'), ...opaque('parameters') }),
  },
  NOTHING,
);

/** Reasoning is what the same model has written; encrypted, it is read by nobody else. */
const REASONING = allowedMembersOf({
  ...ITEM_MEMBERS,
  ...scalar('encrypted_content'),
  ...{ summary: PART, content: PART },
});

const ITEM = optionalBy(
  {
    message: MESSAGE,
    agent_message: MESSAGE,
    reasoning: REASONING,
    compaction: REASONING,
    function_call: CALL,
    custom_tool_call: CALL,
    function_call_output: OUTPUT,
    custom_tool_call_output: OUTPUT,
    computer_call_output: allowedMembersOf({
      ...ITEM_MEMBERS,
      ...opaque('acknowledged_safety_checks'),
      output: PART,
    }),
    ...Object.fromEntries(
      [
        ...['web_search_call', 'computer_call', 'code_interpreter_call', 'image_generation_call'],
        ...['local_shell_call', 'local_shell_call_output', 'shell_call', 'shell_call_output'],
        ...['apply_patch_call', 'apply_patch_call_output', 'mcp_call', 'tool_search_call'],
      ].map((type) => [type, MADE]),
    ),
    additional_tools: allowedMembersOf({ ...ITEM_MEMBERS, ...scalar('role'), tools: TOOL }),
    tool_search_output: allowedMembersOf({ ...ITEM_MEMBERS, ...scalar('execution'), tools: TOOL }),
    item_reference: 'owned',
  },
  // Messages may come without a type.
  MESSAGE,
);

const FORMAT = taggedBy(
  {
    text: allowedMembersOf(scalar('type')),
    json_object: allowedMembersOf(scalar('type')),
    json_schema: allowedMembersOf({
      ...scalar('type', 'name', 'description', 'strict'),
      ...opaque('schema'),
    }),
  },
  NOTHING,
);

export const RESPONSES_REQUEST = allowedMembersOf({
  ...scalar('model', 'stream', 'instructions', 'max_output_tokens', 'temperature', 'top_p', 'top_logprobs'),
  ...scalar('parallel_tool_calls', 'max_tool_calls', 'truncation', 'include', 'store', 'background'),
  ...scalar('user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'),
  // Planned with a price alone: `docs/routing.md#modes-without-a-price`.
  service_tier: 'word',
  // Given back with the answer.
  metadata: 'opaque',
  stream_options: allowedMembersOf(scalar('include_obfuscation')),
  input: ITEM,
  reasoning: allowedMembersOf(scalar('effort', 'summary', 'generate_summary')),
  text: allowedMembersOf({ ...scalar('verbosity'), format: FORMAT }),
  tools: TOOL,
  tool_choice: allowedMembersOf({
    ...scalar('type', 'name', 'namespace', 'mode'),
    tools: optionalBy({ function: NAMED_TOOL, custom: NAMED_TOOL, namespace: NAMED_TOOL }, NOTHING),
  }),
});
