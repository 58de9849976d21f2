/** The members of Anthropic's Messages format that have a price and a rule over shared capacity. */
import {
  type AllowedShape,
  allowedMembersOf,
  extended,
  opaque,
  scalar,
  type Tagged,
  taggedBy,
} from './shape.js';

export const CACHE_CONTROL = allowedMembersOf(scalar('type', 'ttl', 'scope'));

export const CACHEABLE = { ...scalar('type'), cache_control: CACHE_CONTROL };

const NOTHING = allowedMembersOf({});

/** Blocks are nested as deep as Anthropic nests them: in contents of results and of documents. */
const INNER_BLOCK = blockWith(NOTHING, sourceWith(NOTHING));
const SOURCE = sourceWith(INNER_BLOCK);

export const BLOCK = blockWith(blockWith(INNER_BLOCK, SOURCE), SOURCE);

function sourceWith(content: AllowedShape): AllowedShape {
  return taggedBy(
    {
      base64: allowedMembersOf(scalar('type', 'media_type', 'data')),
      text: allowedMembersOf(scalar('type', 'media_type', 'data')),
      url: allowedMembersOf({ ...scalar('type'), url: 'address' }),
      content: allowedMembersOf({ ...scalar('type'), content }),
      file: 'owned',
    },
    NOTHING,
  );
}

function blockWith(content: AllowedShape, source: AllowedShape): Tagged {
  const called = allowedMembersOf({ ...CACHEABLE, ...scalar('id', 'name'), ...opaque('input', 'caller') });
  const result = allowedMembersOf({ ...CACHEABLE, ...scalar('tool_use_id'), ...opaque('content', 'caller') });
  const fetched = taggedBy(
    {
      web_fetch_result: allowedMembersOf({ ...scalar('type', 'url', 'retrieved_at'), content }),
      web_fetch_tool_result_error: allowedMembersOf(scalar('type', 'error_code')),
    },
    NOTHING,
  );
  return taggedBy(
    {
      text: allowedMembersOf({ ...CACHEABLE, ...scalar('text'), ...opaque('citations') }),
      image: allowedMembersOf({ ...CACHEABLE, source }),
      document: allowedMembersOf({
        ...CACHEABLE,
        ...scalar('title', 'context'),
        ...opaque('citations'),
        source,
      }),
      search_result: allowedMembersOf({
        ...CACHEABLE,
        ...scalar('source', 'title'),
        ...opaque('citations'),
        content,
      }),
      thinking: allowedMembersOf(scalar('type', 'thinking', 'signature')),
      redacted_thinking: allowedMembersOf(scalar('type', 'data')),
      tool_use: called,
      server_tool_use: called,
      tool_result: allowedMembersOf({ ...CACHEABLE, ...scalar('tool_use_id', 'is_error'), content }),
      tool_reference: allowedMembersOf({ ...CACHEABLE, ...scalar('tool_name') }),
      web_search_tool_result: result,
      web_fetch_tool_result: allowedMembersOf({
        ...CACHEABLE,
        ...scalar('tool_use_id'),
        ...opaque('caller'),
        content: fetched,
      }),
      tool_search_tool_result: result,
      container_upload: 'owned',
    },
    NOTHING,
  );
}

/** Edits that only remove something. An edit that has the conversation summarised is work of the host. */
export const CONTEXT_MANAGEMENT = allowedMembersOf({
  edits: taggedBy(
    {
      clear_tool_uses: allowedMembersOf({
        ...scalar('type', 'exclude_tools', 'clear_tool_inputs'),
        ...opaque('trigger', 'keep', 'clear_at_least'),
      }),
      clear_thinking: allowedMembersOf({ ...scalar('type'), ...opaque('keep') }),
    },
    NOTHING,
  ),
});

export const THINKING = allowedMembersOf(scalar('type', 'budget_tokens', 'display'));

const SCHEMA = allowedMembersOf({ ...scalar('type', 'name'), ...opaque('schema') });

export const OUTPUT_CONFIG = allowedMembersOf({
  ...scalar('effort'),
  task_budget: allowedMembersOf(scalar('type', 'total', 'remaining')),
  format: SCHEMA,
});

export const METADATA = allowedMembersOf(scalar('user_id'));

const LOCATION_FIELDS = scalar('type', 'city', 'region', 'country', 'timezone');

export const USER_LOCATION = allowedMembersOf({
  ...LOCATION_FIELDS,
  approximate: allowedMembersOf(LOCATION_FIELDS),
});

/** Members of the caller's own tools, and of tools that Anthropic defines and the caller runs. */
export const TOOL_MEMBERS = {
  ...CACHEABLE,
  ...scalar('name', 'description', 'strict', 'defer_loading', 'eager_input_streaming', 'allowed_callers'),
  ...opaque('input_schema', 'input_examples'),
};

const CLIENT_TOOL = allowedMembersOf({
  ...TOOL_MEMBERS,
  ...scalar('max_characters', 'display_width_px', 'display_height_px', 'display_number', 'enable_zoom'),
});

/** Whether a search has a price at the endpoint is checked before anything is sent. */
const SEARCH_TOOL = allowedMembersOf({
  ...TOOL_MEMBERS,
  ...scalar('max_uses', 'allowed_domains', 'blocked_domains'),
  user_location: USER_LOCATION,
});

/** By tool type, without its date. */
export const TOOLS: Readonly<Record<string, AllowedShape>> = {
  custom: CLIENT_TOOL,
  bash: CLIENT_TOOL,
  computer: CLIENT_TOOL,
  memory: CLIENT_TOOL,
  text_editor: CLIENT_TOOL,
  tool_search_tool_bm25: CLIENT_TOOL,
  tool_search_tool_regex: CLIENT_TOOL,
  web_search: SEARCH_TOOL,
};

export const MESSAGES_REQUEST = allowedMembersOf({
  ...scalar('model', 'max_tokens', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k'),
  // Planned with a price alone: `docs/routing.md#modes-without-a-price`.
  service_tier: 'word',
  system: BLOCK,
  messages: allowedMembersOf({ ...scalar('role'), content: BLOCK }),
  tools: taggedBy(TOOLS, CLIENT_TOOL),
  tool_choice: allowedMembersOf(scalar('type', 'name', 'disable_parallel_tool_use')),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  output_format: SCHEMA,
  metadata: METADATA,
  cache_control: CACHE_CONTROL,
  context_management: CONTEXT_MANAGEMENT,
});

/** What hosts have that sell speeds and places; planned as tiers are. */
export const MODES: Readonly<Record<string, AllowedShape>> = { speed: 'word', inference_geo: 'place' };

export const MESSAGES_IN_MODES = extended(MESSAGES_REQUEST, MODES);
