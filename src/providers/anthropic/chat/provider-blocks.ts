/**
 * The blocks of an answer in which the provider's own tools ran, or text follows a call, as `provider_blocks` of the
 * message. A client that sends the message back, especially after `pause_turn`, continues the turn. The API requires its
 * blocks unchanged and in order.
 */
import { partsOfText } from '../../../formats/chat/content.js';
import { REASONING_FORMAT } from '../../../formats/chat/reasoning-details.js';
import type { ChatMessage, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { CallCommons, ChatForm } from '../../../inference/ports/adapter.js';
import { checkCount, MAX_BLOCKS, MAX_COLLECTED_CHARACTERS } from '../../common/answer-bounds.js';
import { innerAnswerJson } from '../../common/answer-json.js';
import { plainCallId } from '../../common/call-id.js';
import { type Block, isBlock } from './block.js';

/** Blocks that members of the chat format represent. */
const TRANSLATED: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

/** The member `provider_blocks`; empty if the message's other members say everything: in a chat, calls come last. */
export function providerBlocks(blocks: readonly JsonObject[]): JsonObject {
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_use');
  const isNative = blocks.some(({ type }) => !TRANSLATED.has(type));
  const isSaidLate =
    firstCall >= 0 && blocks.slice(firstCall).some(({ type, text }) => type === 'text' && text);
  return isNative || isSaidLate ? { provider_blocks: { format: REASONING_FORMAT.anthropic, blocks } } : {};
}

/**
 * The blocks that a message was sent back with; undefined for a message without any, of another format, or whose words have
 * been changed since. Calls have the ids of the message's own calls, which its results name.
 */
export function blocksSentBack(message: ChatMessage): Block[] | undefined {
  const sent = blocksOf(message);
  if (sent.length === 0 || isEdited(message, sent)) return undefined;
  return withIdsOf(message.tool_calls ?? [], sent);
}

/** Tells of blocks that are not sent, since somebody has changed what their message says. */
export function reportEdited({
  body,
  onAdapted,
}: Pick<ChatForm, 'body'> & Pick<CallCommons, 'onAdapted'>): void {
  const isLeftOut = (message: ChatMessage) => {
    const sent = blocksOf(message);
    return sent.length > 0 && isEdited(message, sent);
  };
  if (body.messages.some(isLeftOut)) onAdapted?.('messages.provider_blocks', 'left_out');
}

function blocksOf({ provider_blocks }: ChatMessage): readonly Block[] {
  if (provider_blocks === undefined) return [];
  const { format, blocks } = members(provider_blocks);
  return format === REASONING_FORMAT.anthropic ? elements(blocks).filter(isBlock) : [];
}

/** Clients may leave the words to the blocks. */
function isEdited({ content }: ChatMessage, blocks: readonly Block[]): boolean {
  const words = partsOfText(content).map(({ text }) => text);
  const said = words.join('').trim();
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' ? (textOf(text) ?? '') : ''));
  return said !== '' && said !== texts.join('').trim();
}

/** The very blocks where they are not of these calls. */
function withIdsOf(calls: readonly ToolCall[], blocks: readonly Block[]): Block[] {
  const called = blocks.filter(({ type }) => type === 'tool_use');
  if (called.length !== calls.length) return [...blocks];
  const ids = new Map(called.map((block, position) => [block, plainCallId(calls[position]?.id)]));
  return blocks.map((block) => {
    const id = ids.get(block);
    return id === undefined || id === block.id ? block : { ...block, id };
  });
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
