/** The messages of a chat in Converse's format: a system prompt and alternating turns. */

import { partsOfText } from '../../../formats/chat/content.js';
import { piecesInOrder } from '../../../formats/chat/thought-positions.js';
import type { ChatMessage, ContentPart, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { members, textOf } from '../../../formats/json.js';
import { thinkingBlocks } from '../../anthropic/chat/reasoning-details.js';
import { plainCallId } from '../../common/call-id.js';
import { argumentsOf, type NestedJson } from '../../common/nested-json.js';
import { isForeignThought } from '../../fit-messages/are-taken.js';
import { type Block, cachePoints, textBlocks, unsupported } from './block.js';
import { audioBlock, DocumentNames, fileBlock, imageBlock, videoBlock } from './media.js';
import type { BedrockModel } from './model.js';

/** Consecutive messages of one role; a user's turn begins with the results of tools. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

export interface Conversation {
  /** The text of all system and developer messages. */
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
}

/** Sent as the user's text if Converse requires some and there is none. */
const PLACEHOLDER: Block = { text: '.' };

/** Throws `UpstreamFailure` `invalid_request` for content that can't be sent. */
export function readConversation(
  messages: readonly ChatMessage[],
  model: BedrockModel,
  nested: NestedJson,
): Conversation {
  const reader = new MessageReader(model, nested);
  const system: Block[] = [];
  const turns: { role: Turn['role']; content: Block[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...reader.system(message));
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = reader.blocks(message);
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [PLACEHOLDER] });
  return { system, turns: withEnd(turns.map(arranged)) };
}

/** Reads the messages in order, so that every document gets a name of its own. */
class MessageReader {
  readonly #model: BedrockModel;
  readonly #nested: NestedJson;
  readonly #names = new DocumentNames();

  constructor(model: BedrockModel, nested: NestedJson) {
    this.#model = model;
    this.#nested = nested;
  }

  /** Throws as `readConversation` does. */
  system(message: ChatMessage): Block[] {
    const parts = typeof message.content === 'string' ? [] : (message.content ?? []);
    const stranger = parts.find(({ type }) => type !== 'text');
    if (stranger !== undefined) throw unsupported(`content of type ${stranger.type} in a system message`);
    return this.#withLastCachePoint(this.#words(message), message);
  }

  blocks(message: ChatMessage): Block[] {
    return message.role === 'tool'
      ? this.#toolResult(message)
      : this.#withLastCachePoint(this.#said(message), message);
  }

  #said(message: ChatMessage): Block[] {
    if (message.role !== 'assistant') return this.#content(message.content);
    const isClaude = this.#model.family === 'claude';
    const thoughts = isClaude
      ? thinkingBlocks(message).filter(({ thought }) => !isForeignThought(thought))
      : [];
    const refusal = textOf(message.refusal);
    const said = partsOfText(message.content);
    const parts = refusal === undefined ? said : [...said, { text: refusal, part: {} }];
    const texts = parts.map(({ text }) => text);
    return piecesInOrder(texts, thoughts, message.tool_calls ?? []).flatMap((piece) => {
      if ('thought' in piece) return [reasoningBlock(piece.thought)];
      if ('call' in piece) return [toolUse(piece.call, this.#nested)];
      return this.#withCachePoint(textBlocks(piece.text), (piece.isLast && parts[piece.part]?.part) || {});
    });
  }

  /** Content that can only be text: the system's. */
  #words({ content }: ChatMessage): Block[] {
    return partsOfText(content).flatMap(({ text, part }) => this.#withCachePoint(textBlocks(text), part));
  }

  #content(content: ChatMessage['content']): Block[] {
    if (typeof content === 'string') return textBlocks(content);
    return (content ?? []).flatMap((part) => this.#withCachePoint(this.#part(part), part));
  }

  #part(part: ContentPart): Block[] {
    switch (part.type) {
      case 'text':
        return textBlocks(textOf(part.text));
      case 'image_url':
        return [imageBlock(part.image_url)];
      case 'input_audio':
        return [audioBlock(part.input_audio)];
      case 'video_url':
        return [videoBlock(part.video_url)];
      case 'file':
        return [fileBlock(part, this.#names)];
      default:
        throw unsupported(`content of type ${part.type}`);
    }
  }

  #toolResult(message: ChatMessage): Block[] {
    const content = this.#content(message.content).filter((block) => block.cachePoint === undefined);
    const toolResult = { toolUseId: toolUseId(message.tool_call_id), content };
    return this.#withCachePoint([{ toolResult }], message);
  }

  /** The blocks of a message. The message's own `cache_control` becomes its last cache point. */
  #withLastCachePoint(blocks: Block[], message: ChatMessage): Block[] {
    const last = blocks.findLast((block) => !isThought(block));
    return last?.cachePoint === undefined ? this.#withCachePoint(blocks, message) : blocks;
  }

  /** The blocks, with the cache point of their part after the last one that is no thought; none where there is no such block. */
  #withCachePoint(blocks: Block[], part: JsonObject): Block[] {
    const end = blocks.findLastIndex((block) => !isThought(block)) + 1;
    const hasCachePoint = this.#model.takesCachePoints && end > 0;
    return hasCachePoint ? [...blocks.slice(0, end), ...cachePoints(part), ...blocks.slice(end)] : blocks;
  }
}

function reasoningBlock(block: Block): Block {
  if (block.type === 'redacted_thinking') return { reasoningContent: { redactedContent: block.data } };
  return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
}

/** Converse takes arguments as an object. Other arguments are shown to the model as they are. */
function toolUse(call: ToolCall, nested: NestedJson): Block {
  const { name, arguments: given } = members(call.function);
  const input = argumentsOf(call, nested) ?? { arguments: given };
  return { toolUse: { toolUseId: toolUseId(call.id), name: textOf(name) ?? '', input } };
}

/** Ids of other providers may be too long for Converse, or have characters that it refuses. */
function toolUseId(id: unknown): string {
  return plainCallId(id).slice(0, MAX_ID_CHARACTERS);
}

const MAX_ID_CHARACTERS = 64;

function isThought({ reasoningContent }: Block): boolean {
  return reasoningContent !== undefined;
}

/** Puts results first, and adds text to turns that have only documents. */
function arranged({ role, content }: Turn): Turn {
  if (role === 'assistant') return { role, content };
  const results = content.filter(isResult);
  const rest = content.filter((block) => !isResult(block));
  const isWordless =
    rest.some(({ document }) => document !== undefined) && !rest.some(({ text }) => text !== undefined);
  return { role, content: [...results, ...rest, ...(isWordless ? [PLACEHOLDER] : [])] };
}

function isResult({ toolResult }: Block): boolean {
  return toolResult !== undefined;
}

/** The last message may be the assistant's, which the model continues. It must end neither in white space nor in a thought. */
function withEnd(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return turns;
  const end = last.content.findLastIndex((block) => !isThought(block)) + 1;
  const trimmed = last.content.slice(0, end);
  const at = trimmed.findLastIndex(({ cachePoint }) => cachePoint === undefined);
  const text = trimmed[at]?.text;
  if (typeof text === 'string') trimmed[at] = { text: text.trimEnd() };
  return [...turns.slice(0, -1), ...(trimmed.length === 0 ? [] : [{ ...last, content: trimmed }])];
}

/** The turns for a model that does not think: then an answer that it continues has no thoughts. */
export function withoutOpenThoughts(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || !last.content.some(isThought)) return turns;
  return [...turns.slice(0, -1), { ...last, content: last.content.filter((block) => !isThought(block)) }];
}
