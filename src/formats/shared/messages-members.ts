/** Members of Anthropic's Messages format that have a price and a rule over shared capacity. */
import { membersOf, opaque, type Shape, taggedBy } from './shape.js';

const CACHE_CONTROL = membersOf(opaque('type', 'ttl', 'scope'));

const MARKED = { ...opaque('type'), cache_control: CACHE_CONTROL };

/** Blocks in blocks are as deep as Anthropic has them: contents of results and of documents. */
const INNER_BLOCK = blockWith('opaque', 'opaque');
const SOURCE = sourceWith(INNER_BLOCK);

export const BLOCK = blockWith(blockWith(INNER_BLOCK, SOURCE), SOURCE);

function sourceWith(content: Shape): Shape {
  return taggedBy({
    base64: membersOf(opaque('type', 'media_type', 'data')),
    text: membersOf(opaque('type', 'media_type', 'data')),
    url: membersOf({ ...opaque('type'), url: 'address' }),
    content: membersOf({ ...opaque('type'), content }),
    file: 'owned',
  });
}

function blockWith(content: Shape, source: Shape): Shape {
  const called = membersOf({ ...MARKED, ...opaque('id', 'name', 'input', 'caller') });
  const result = membersOf({ ...MARKED, ...opaque('tool_use_id', 'content', 'caller') });
  return taggedBy({
    text: membersOf({ ...MARKED, ...opaque('text', 'citations') }),
    image: membersOf({ ...MARKED, source }),
    document: membersOf({ ...MARKED, ...opaque('title', 'context', 'citations'), source }),
    search_result: membersOf({ ...MARKED, ...opaque('source', 'title', 'citations', 'content') }),
    thinking: membersOf(opaque('type', 'thinking', 'signature')),
    redacted_thinking: membersOf(opaque('type', 'data')),
    tool_use: called,
    server_tool_use: called,
    tool_result: membersOf({ ...MARKED, ...opaque('tool_use_id', 'is_error'), content }),
    tool_reference: membersOf({ ...MARKED, ...opaque('tool_name') }),
    web_search_tool_result: result,
    web_fetch_tool_result: result,
    tool_search_tool_result: result,
    container_upload: 'owned',
  });
}

/** Of edits, those that only forget: one that has the conversation summarised is work of the host. */
export const CONTEXT_MANAGEMENT = membersOf({
  edits: taggedBy({
    clear_tool_uses: membersOf(
      opaque('type', 'trigger', 'keep', 'clear_at_least', 'exclude_tools', 'clear_tool_inputs'),
    ),
    clear_thinking: membersOf(opaque('type', 'keep')),
  }),
});

export const THINKING = membersOf(opaque('type', 'budget_tokens', 'display'));

export const OUTPUT_CONFIG = membersOf({
  ...opaque('effort', 'task_budget'),
  format: membersOf(opaque('type', 'schema', 'name')),
});

export const METADATA = membersOf(opaque('user_id'));

/** Tools of the caller's own, and those that Anthropic defines: what hosts run is judged before anything is sent. */
const TOOL = membersOf({
  ...MARKED,
  ...opaque('name', 'description', 'input_schema', 'strict', 'input_examples', 'defer_loading'),
  ...opaque('eager_input_streaming', 'allowed_callers', 'max_uses', 'allowed_domains', 'blocked_domains'),
  ...opaque('user_location', 'max_characters', 'display_width_px', 'display_height_px', 'display_number'),
  ...opaque('enable_zoom'),
});

export const MESSAGES_REQUEST = membersOf({
  ...opaque('model', 'max_tokens', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k'),
  system: BLOCK,
  messages: membersOf({ ...opaque('role'), content: BLOCK }),
  tools: TOOL,
  tool_choice: membersOf(opaque('type', 'name', 'disable_parallel_tool_use')),
  thinking: THINKING,
  output_config: OUTPUT_CONFIG,
  output_format: membersOf(opaque('type', 'schema', 'name')),
  metadata: METADATA,
  cache_control: CACHE_CONTROL,
  context_management: CONTEXT_MANAGEMENT,
});
