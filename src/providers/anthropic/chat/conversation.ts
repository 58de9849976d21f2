/** The messages of a chat in Anthropic's format: a system prompt and alternating turns. */
import { partsOfText } from '../../../formats/chat/content.js';
import { piecesInOrder } from '../../../formats/chat/thought-positions.js';
import type { ChatMessage, ToolCall } from '../../../formats/chat/types.js';
import { members, textOf } from '../../../formats/json.js';
import { plainCallId } from '../../common/call-id.js';
import { argumentsOf, type NestedJson } from '../../common/nested-json.js';
import { type Block, cacheControlOf, textBlock, withCacheControl } from './block.js';
import { contentBlocks, systemBlocks, textPieces } from './content.js';
import { blocksSentBack } from './provider-blocks.js';
import { thinkingBlocks } from './reasoning-details.js';

/** Consecutive messages of one role; a user's turn begins with the results of tools. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

export interface Conversation {
  /** The text of all system and developer messages. */
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
}

/** Sent as the user's text if the API requires some and there is none. */
const PLACEHOLDER = '.';

/** Throws `UpstreamFailure` `invalid_request` for content that the API does not take. */
export function readConversation(messages: readonly ChatMessage[], nested: NestedJson): Conversation {
  const system: Block[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer')
      system.push(...withCacheControl(systemBlocks(message.content), message));
    else addToTurns(turns, message, nested);
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: [textBlock(PLACEHOLDER)] });
  return { system, turns: turns.map(resultsFirst).map(endTrimmed) };
}

function addToTurns(turns: Turn[], message: ChatMessage, nested: NestedJson): void {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const content = blocksOf(message, nested);
  if (content.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...content);
  else turns.push({ role, content });
}

function blocksOf(message: ChatMessage, nested: NestedJson): Block[] {
  if (message.role === 'tool') return [toolResult(message)];
  if (message.role !== 'assistant') return withCacheControl(contentBlocks(message.content), message);
  const sentBack = blocksSentBack(message);
  if (sentBack !== undefined) return sentBack;
  const parts = partsOfText(message.content);
  const texts = parts.map(({ text }) => text);
  const pieces = piecesInOrder(texts, thinkingBlocks(message), message.tool_calls ?? []);
  const blocks = pieces.flatMap((piece) => {
    if ('thought' in piece) return [piece.thought];
    return 'call' in piece ? [toolUse(piece.call, nested)] : textPieces(piece, parts[piece.part]?.part);
  });
  return withCacheControl([...blocks, ...refusalBlocks(message)], message);
}

/** What the assistant said instead of an answer, unless its content says it too. */
function refusalBlocks({ refusal, content }: ChatMessage): Block[] {
  const text = textOf(refusal);
  return text === undefined || text.trim() === '' || text === content ? [] : [textBlock(text)];
}

function toolResult(message: ChatMessage): Block {
  const content = contentBlocks(message.content);
  return {
    type: 'tool_result',
    tool_use_id: plainCallId(message.tool_call_id),
    ...(content.length > 0 && { content }),
    ...cacheControlOf(message),
  };
}

/** The API takes arguments as an object. Other arguments are shown to the model as they are. */
function toolUse(call: ToolCall, nested: NestedJson): Block {
  const { name, arguments: given } = members(call.function);
  return {
    type: 'tool_use',
    id: plainCallId(call.id),
    name: textOf(name) ?? '',
    input: argumentsOf(call, nested) ?? { arguments: given },
    ...cacheControlOf(call),
  };
}

function resultsFirst({ role, content }: Turn): Turn {
  if (role === 'assistant') return { role, content };
  const isResult = ({ type }: Block) => type === 'tool_result';
  return {
    role,
    content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))],
  };
}

/** The last message may be the assistant's, which the model continues. It must not end in white space. */
function endTrimmed(turn: Turn, position: number, turns: readonly Turn[]): Turn {
  const last = turn.content.at(-1);
  const isOpenAnswer = turn.role === 'assistant' && position === turns.length - 1;
  if (!isOpenAnswer || typeof last?.text !== 'string') return turn;
  return { ...turn, content: [...turn.content.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}
