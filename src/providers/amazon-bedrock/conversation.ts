/** The messages of a chat as Converse has them: a system prompt, and turns that alternate. */
import type { ChatMessage, ContentPart, ToolCall } from '../../formats/chat/types.js';
import { thinkingBlocks } from '../anthropic/reasoning-details.js';
import { isObject, members, parseJson, textOf } from '../http/json.js';
import { type Block, cachePoints, textBlocks, unsupported } from './block.js';
import { audioBlock, DocumentNames, fileBlock, imageBlock, videoBlock } from './media.js';
import type { Model } from './model.js';

/** One turn. Its messages follow each other, and a user's begins with the results of tools. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** A conversation. */
export interface Conversation {
  /** The words of system and developer, wherever in the chat they stood. */
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
}

/** What a user says where words of a user are wanted and there are none. */
const PLACEHOLDER: Block = { text: '.' };

/** Reads the messages. Throws `UpstreamFailure` `invalid_request` at content that can't be sent. */
export function readConversation(messages: readonly ChatMessage[], model: Model): Conversation {
  const reader = new MessageReader(model);
  const system: Block[] = [];
  const turns: { role: Turn['role']; content: Block[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...reader.words(message));
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
  return { system, turns: turns.map(arranged).map(endTrimmed) };
}

/** Reads one message after the other; documents keep their names apart. */
class MessageReader {
  readonly #model: Model;
  readonly #names = new DocumentNames();

  constructor(model: Model) {
    this.#model = model;
  }

  blocks(message: ChatMessage): Block[] {
    if (message.role === 'tool') return this.#toolResult(message);
    if (message.role !== 'assistant') return this.#content(message.content);
    const thoughts = this.#model.family === 'claude' ? thinkingBlocks(message).map(reasoningBlock) : [];
    return [...thoughts, ...this.words(message), ...(message.tool_calls ?? []).map(toolUse)];
  }

  /** What can only be text: the words of the system and of the assistant. */
  words({ content }: ChatMessage): Block[] {
    if (typeof content === 'string') return textBlocks(content);
    return (content ?? []).flatMap((part) =>
      this.#marked(textBlocks(textOf(part.text) ?? textOf(part.refusal)), part),
    );
  }

  #content(content: ChatMessage['content']): Block[] {
    if (typeof content === 'string') return textBlocks(content);
    return (content ?? []).flatMap((part) => this.#marked(this.#part(part), part));
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
    return this.#marked([{ toolResult }], message);
  }

  /** The blocks with the mark of their part behind them; where nothing is said there is nothing to cache. */
  #marked(blocks: Block[], part: ChatMessage | ContentPart): Block[] {
    const isMarked = this.#model.takesCachePoints && blocks.length > 0;
    return isMarked ? [...blocks, ...cachePoints(part)] : blocks;
  }
}

function reasoningBlock(block: Block): Block {
  if (block.type === 'redacted_thinking') return { reasoningContent: { redactedContent: block.data } };
  return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
}

function toolUse(call: ToolCall): Block {
  const { name, arguments: given } = members(call.function);
  return { toolUse: { toolUseId: toolUseId(call.id), name: textOf(name) ?? '', input: inputOf(given) } };
}

/** Arguments are an object here; those that are none, the model is shown as they were. */
function inputOf(given: unknown): object {
  const text = textOf(given)?.trim() ?? '';
  const input = isObject(given) ? given : parseJson(text || '{}');
  return isObject(input) ? input : { arguments: given };
}

/** Ids that other providers gave may be longer, or have characters that are refused here. */
function toolUseId(id: unknown): string {
  return (
    String(id ?? '')
      .replaceAll(/[^a-zA-Z0-9_-]/g, '_')
      .slice(0, MAX_ID_CHARACTERS) || '_'
  );
}

const MAX_ID_CHARACTERS = 64;

/** Results come first, and a document comes with words. */
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

/** An answer that the model is to go on with may not end in white space. */
function endTrimmed(turn: Turn, position: number, turns: readonly Turn[]): Turn {
  const last = turn.content.at(-1);
  const isOpenAnswer = turn.role === 'assistant' && position === turns.length - 1;
  if (!isOpenAnswer || typeof last?.text !== 'string') return turn;
  return { ...turn, content: [...turn.content.slice(0, -1), { text: last.text.trimEnd() }] };
}
