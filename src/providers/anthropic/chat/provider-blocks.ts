/**
 * The blocks of an answer in which the provider's own tools ran, or text follows a call, as `provider_blocks` of the
 * message. A client that sends the message back, especially after `pause_turn`, continues the turn. The API requires its
 * blocks unchanged and in order.
 */
import type { ChatMessage, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import { checkCount, MAX_BLOCKS, MAX_COLLECTED_CHARACTERS } from '../../common/answer-bounds.js';
import { innerAnswerJson } from '../../common/answer-json.js';
import { type Block, isBlock } from './block.js';

/** Distinguishes these blocks from those of other formats. */
const FORMAT = 'anthropic-claude-v1';

/** Blocks that members of the chat format represent. */
const TRANSLATED: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

/** The member `provider_blocks`; empty if the message's other members say everything: in a chat, calls come last. */
export function providerBlocks(blocks: readonly JsonObject[]): JsonObject {
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_use');
  const isNative = blocks.some(({ type }) => !TRANSLATED.has(type));
  const isSaidLate =
    firstCall >= 0 && blocks.slice(firstCall).some(({ type, text }) => type === 'text' && text);
  return isNative || isSaidLate ? { provider_blocks: { format: FORMAT, blocks } } : {};
}

/** The blocks that a message was sent back with; undefined for a message without any, or of another format. */
export function blocksSentBack({ provider_blocks }: ChatMessage): Block[] | undefined {
  const { format, blocks } = members(provider_blocks);
  const sent = elements(blocks).filter(isBlock);
  return format === FORMAT && sent.length > 0 ? sent : undefined;
}

/** A block that is being streamed. */
interface Growing {
  readonly block: Record<string, unknown>;
  readonly citations: unknown[];
  json: string;
}

/**
 * Assembles the blocks of a streamed message. Throws `UpstreamFailure` `malformed` for more than a message may have.
 */
export class BlockCollector {
  readonly #growing = new Map<unknown, Growing>();
  #characters = 0;
  #citations = 0;

  begin(index: unknown, block: JsonObject): void {
    this.#growing.set(index, { block: { ...block }, citations: [...elements(block.citations)], json: '' });
    checkCount(this.#growing.size, MAX_BLOCKS);
    this.#keep(block.text, block.thinking, block.signature);
  }

  add(index: unknown, { type, text, thinking, signature, partial_json, citation }: JsonObject): void {
    const growing = this.#growing.get(index);
    if (growing === undefined) return;
    const { block } = growing;
    this.#keep(text, thinking, signature, partial_json);
    if (type === 'text_delta') block.text = `${block.text ?? ''}${text}`;
    else if (type === 'thinking_delta') block.thinking = `${block.thinking ?? ''}${thinking}`;
    else if (type === 'signature_delta') block.signature = signature;
    else if (type === 'input_json_delta') growing.json += textOf(partial_json) ?? '';
    else if (type === 'citations_delta') this.#cite(growing, citation);
  }

  #cite({ block, citations }: Growing, citation: unknown): void {
    citations.push(citation);
    block.citations = citations;
    this.#citations += 1;
    checkCount(this.#citations, MAX_BLOCKS);
  }

  #keep(...texts: readonly unknown[]): void {
    for (const text of texts) this.#characters += textOf(text)?.length ?? 0;
    checkCount(this.#characters, MAX_COLLECTED_CHARACTERS);
  }

  /** Ends the block and returns it whole. */
  end(index: unknown): JsonObject {
    const growing = this.#growing.get(index);
    if (growing === undefined) return {};
    const input = growing.json === '' ? undefined : innerAnswerJson(growing.json);
    if (isObject(input)) growing.block.input = input;
    return growing.block;
  }

  /** All blocks, in order. */
  get blocks(): readonly JsonObject[] {
    return [...this.#growing.values()].map(({ block }) => block);
  }
}
