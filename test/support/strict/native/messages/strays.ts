/** Rules about members that Messages does not have, which answers, other formats and clients put there. */
import type { Rule } from '../rule.js';
import { record, words } from '../values.js';
import { type MessagesCall, placedBlocks, turnsOf } from './body.js';

const SEEN = '2026-11-26';

/** `ContentBlockParam` and `BetaContentBlockParam` of the official client (1.12.0). */
const OF_BLOCKS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: words('type text cache_control citations'),
  image: words('type source cache_control transformations'),
  document: words('type source cache_control citations context title'),
  search_result: words('type content source title cache_control citations'),
  thinking: words('type thinking signature cache_control'),
  redacted_thinking: words('type data cache_control'),
  tool_use: words('type id name input cache_control caller toolset_name'),
  tool_result: words('type tool_use_id content is_error cache_control toolset_name'),
  server_tool_use: words('type id name input cache_control caller'),
  code_execution_tool_result: words('type tool_use_id content cache_control'),
  bash_code_execution_tool_result: words('type tool_use_id content cache_control'),
};

const OF_MESSAGES = words('role content');
const OF_SYSTEM_MESSAGES = words('role content clear_at output_config');

export const STRAY_RULES: readonly Rule[] = [
  {
    refuses: 'members of a block that there are not',
    source: 'https://github.com/langchain-ai/langchain/issues/31208',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      for (const { at, block } of placedBlocks(body)) {
        const stray = strayOf(block, OF_BLOCKS[block.type]);
        if (stray !== undefined) return `${at}.${block.type}.${stray}: Extra inputs are not permitted`;
      }
      return undefined;
    },
  },
  {
    refuses: 'members of a message that there are not',
    source: 'https://github.com/microsoft/autogen/issues/3034',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      for (const [index, turn] of turnsOf(body).entries()) {
        const stray = strayOf(turn, turn.role === 'system' ? OF_SYSTEM_MESSAGES : OF_MESSAGES);
        if (stray !== undefined) return `messages.${index}.${stray}: Extra inputs are not permitted`;
      }
      return undefined;
    },
  },
  {
    refuses: 'metadata but a user’s id of up to 256 characters',
    source: 'https://platform.claude.com/docs/en/api/messages',
    seen: SEEN,
    sure: 'documented',
    violation({ metadata }: MessagesCall) {
      const stray = Object.keys(record(metadata)).find((name) => name !== 'user_id');
      if (stray !== undefined) return `metadata.${stray}: Extra inputs are not permitted`;
      return String(record(metadata).user_id ?? '').length > 256
        ? 'metadata.user_id: String should have at most 256 characters'
        : undefined;
    },
  },
];

/** Bedrock refused them in May 2025; nobody has said since that it takes them. */
export const NO_CITATIONS_RULE: Rule = {
  refuses: 'citations of a text that cite nothing',
  source: 'https://github.com/anthropics/anthropic-sdk-go/issues/186',
  seen: SEEN,
  sure: 'reported',
  violation(body: MessagesCall) {
    const found = placedBlocks(body).find(
      ({ block: { type, citations } }) =>
        type === 'text' && Array.isArray(citations) && citations.length === 0,
    );
    return found && `${found.at}.text.citations: Extra inputs are not permitted`;
  },
};

function strayOf(value: object, known: ReadonlySet<string> | undefined): string | undefined {
  return known && Object.keys(value).find((name) => !known.has(name));
}
