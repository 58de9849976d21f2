/** Rules of Anthropic's Messages about blocks. */
import { signatureOf } from '../../../fakes/fake-anthropic/answer.js';
import { mediaTypeOf } from '../media-type.js';
import type { Rule } from '../rule.js';
import { isBase64, isRecord, list, record, words } from '../values.js';
import { type FakeBlock, type MessagesCall, type PlacedBlock, placedBlocks, turnsOf } from './body.js';

const SEEN = '2026-11-26';

const IMAGES = words('image/jpeg image/png image/gif image/webp');

/** `ContentBlockParam` of the official client; inside a result those of `ToolResultBlockParam`. */
const BLOCKS =
  words(`text image document search_result thinking redacted_thinking tool_use tool_result server_tool_use
  web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result
  text_editor_code_execution_tool_result tool_search_tool_result container_upload`);
const IN_RESULTS = words('text image search_result document tool_reference');

export const CONTENT_RULES: readonly Rule[] = [
  {
    refuses: 'blocks of types that there are not',
    source: '@anthropic-ai/sdk ContentBlockParam, ToolResultBlockParam',
    seen: SEEN,
    sure: 'typed',
    violation: (body: MessagesCall) =>
      eachBlock(body, ({ at, block: { type }, role }) =>
        (role === 'result' ? IN_RESULTS : role === 'system' ? words('text') : BLOCKS).has(type)
          ? undefined
          : `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
      ),
  },
  {
    refuses: 'blank texts',
    source: 'https://github.com/anthropics/claude-code/issues/23369',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachBlock(body, ({ at, block: { type, text } }) =>
        type === 'text' && String(text ?? '').trim() === ''
          ? `${at}: text content blocks must contain non-whitespace text`
          : undefined,
      ),
  },
  {
    refuses: 'a turn that is one blank text',
    source: 'https://github.com/anthropics/claude-code/issues/23369',
    seen: SEEN,
    sure: 'assumed',
    violation: (body: MessagesCall) =>
      turnsOf(body)
        .map(({ content }, index) =>
          typeof content === 'string' && content !== '' && content.trim() === ''
            ? `messages.${index}: text content blocks must contain non-whitespace text`
            : undefined,
        )
        .find((found) => found !== undefined),
  },
  {
    refuses: 'results that are errors and say nothing',
    source: 'https://github.com/bytedance/trae-agent/issues/230',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachBlock(body, ({ at, block: { type, is_error, content } }) =>
        type === 'tool_result' &&
        is_error === true &&
        (content === undefined ||
          content === '' ||
          (list(content).length === 0 && typeof content !== 'string'))
          ? `${at}.tool_result: content cannot be empty if \`is_error\` is true`
          : undefined,
      ),
  },
  {
    refuses: 'media that are neither base64 nor an address',
    source: '@anthropic-ai/sdk ImageBlockParam, DocumentBlockParam',
    seen: SEEN,
    sure: 'typed',
    violation: (body: MessagesCall) => eachBlock(body, ({ at, block }) => sourceViolation(at, block)),
  },
  {
    refuses: 'images that are not what they are called',
    source: 'https://github.com/anthropics/claude-code/issues/15746',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachBlock(body, ({ at, block: { type, source } }) => {
        const { type: kind, media_type, data } = record(source);
        const found = type === 'image' && kind === 'base64' ? mediaTypeOf(data) : media_type;
        return found === undefined || found === media_type
          ? undefined
          : `${at}.image.source.base64.data: Image does not match the provided media type ${media_type}`;
      }),
  },
  {
    refuses: 'thoughts that it did not sign',
    source: 'https://github.com/anthropics/claude-code/issues/10627',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachBlock(body, ({ at, block: { type, thinking, signature, data } }) => {
        if (type === 'thinking' && signature !== signatureOf(String(thinking))) {
          return `${at}: Invalid \`signature\` in \`thinking\` block`;
        }
        return type === 'redacted_thinking' && !isBase64(data)
          ? `${at}: Invalid \`data\` in \`redacted_thinking\` block`
          : undefined;
      }),
  },
  {
    refuses: 'ids of calls with other characters than letters, digits, _ and -',
    source: 'https://github.com/anomalyco/opencode/issues/1279',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachBlock(body, ({ at, block: { type, id, tool_use_id } }) => {
        const value = type === 'tool_use' ? id : type === 'tool_result' ? tool_use_id : 'fits';
        const member = type === 'tool_use' ? 'tool_use.id' : 'tool_result.tool_use_id';
        return /^[a-zA-Z0-9_-]+$/.test(String(value))
          ? undefined
          : `${at}.${member}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      }),
  },
  {
    refuses: 'names of called tools that are longer than 200 characters',
    source: 'https://github.com/anthropics/claude-code/issues/2673',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachCall(body, ({ at, block: { name } }) =>
        String(name).length > 200
          ? `${at}.tool_use.name: String should have at most 200 characters`
          : undefined,
      ),
  },
  {
    refuses: 'names of called tools that no tool may have',
    // That of a tool's definition, which is documented; what a history may have, no document says.
    source: 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1345',
    seen: SEEN,
    sure: 'assumed',
    violation: (body: MessagesCall) =>
      eachCall(body, ({ at, block: { name } }) =>
        typeof name === 'string' && /^[a-zA-Z0-9_-]+$/.test(name)
          ? undefined
          : `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`,
      ),
  },
  {
    refuses: 'input of a call that is no object',
    source: '@anthropic-ai/sdk ToolUseBlockParam',
    seen: SEEN,
    sure: 'typed',
    violation: (body: MessagesCall) =>
      eachCall(body, ({ at, block: { input } }) =>
        isRecord(input) ? undefined : `${at}.tool_use.input: Input should be a valid dictionary`,
      ),
  },
];

function eachBlock(
  body: MessagesCall,
  check: (placed: PlacedBlock) => string | undefined,
): string | undefined {
  for (const placed of placedBlocks(body)) {
    const found = check(placed);
    if (found !== undefined) return found;
  }
  return undefined;
}

function eachCall(
  body: MessagesCall,
  check: (placed: PlacedBlock) => string | undefined,
): string | undefined {
  return eachBlock(body, (placed) => (placed.block.type === 'tool_use' ? check(placed) : undefined));
}

function sourceViolation(at: string, { type, source }: FakeBlock): string | undefined {
  if (type !== 'image' && type !== 'document') return undefined;
  const { type: kind, media_type, url, data } = record(source);
  if (kind === 'url') {
    return /^https?:/.test(String(url)) ? undefined : `${at}.source.url: Only HTTPS URLs are supported`;
  }
  if (type === 'document' && kind === 'content') return undefined;
  if (kind === 'file') return undefined;
  if (type === 'document' && kind === 'text') {
    return media_type === 'text/plain' ? undefined : `${at}.source.media_type: Input should be 'text/plain'`;
  }
  const isKnown = type === 'image' ? IMAGES.has(String(media_type)) : media_type === 'application/pdf';
  return kind === 'base64' && isKnown && isBase64(data)
    ? undefined
    : `${at}.source: Could not process ${type}`;
}
