/**
 * Calls of tools and their results: the API wants each call answered in the next turn, once, before anything else that the
 * user says, and ids that no other call has.
 */
import { createHash } from 'node:crypto';
import { textOf } from '../../formats/json.js';
import { OpenCalls } from '../fit/calls/open-calls.js';
import { NO_RESULT, orphanHeading } from '../fit/calls/result-words.js';
import { UniqueIds } from '../fit/calls/unique-ids.js';
import { PLAIN_ID } from './are-taken.js';
import { asBlocks, type Block, isBlank, isToolResult, type Turn, textBlock } from './blocks.js';

/** A call, and the result that was found for it. */
interface Call {
  readonly block: Block;
  readonly id: string;
  result?: Block;
}

/** The turns with the results of each call in the turn after it. Results of no call become words of the user. */
export function paired(turns: readonly Turn[]): readonly Turn[] {
  const { callsOf, moved } = matched(turns);
  const all: Turn[] = [];
  let results: readonly Block[] = [];
  for (const turn of turns) {
    const calls = callsOf.get(turn) ?? [];
    const others =
      turn.role === 'user' ? turn.content.flatMap((block) => spokenIn(block, moved)) : turn.content;
    if (turn.role !== 'user' && results.length > 0) all.push({ role: 'user', content: results });
    const content = turn.role === 'user' ? [...results, ...others] : withIds(others, calls);
    if (content.length > 0) all.push({ ...turn, content });
    results = calls.map(resultOf);
  }
  return results.length === 0 ? all : [...all, { role: 'user', content: results }];
}

function spokenIn(block: Block, moved: ReadonlySet<Block>): readonly Block[] {
  if (!isToolResult(block)) return [block];
  return moved.has(block) ? [] : orphaned(block);
}

/** Late results go to earlier calls of their id, where those of the latest turn have theirs. */
function matched(turns: readonly Turn[]) {
  const callsOf = new Map<Turn, readonly Call[]>();
  const moved = new Set<Block>();
  const open = new OpenCalls<Call>();
  const unique = new UniqueIds(madeId);
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      const calls = turn.content
        .filter(({ type }) => type === 'tool_use')
        .map((block): Call => ({ block, id: unique.next(plainId(textOf(block.id) ?? '')) }));
      callsOf.set(turn, calls);
      open.add(calls.map((call) => [textOf(call.block.id) ?? '', call]));
    }
    for (const block of turn.role === 'user' ? turn.content.filter(isToolResult) : []) {
      const call = open.take(textOf(block.tool_use_id) ?? '');
      if (call === undefined) continue;
      call.result = block;
      moved.add(block);
    }
  }
  return { callsOf, moved };
}

/** Characters of a made id. */
const MADE_CHARACTERS = 24;

/** The id itself where the API takes it, else one that is made of it, the same in every request. */
function plainId(given: string): string {
  return PLAIN_ID.test(given) ? given : madeId(given);
}

function madeId(text: string): string {
  return `toolu_${createHash('sha256').update(text).digest('base64url').slice(0, MADE_CHARACTERS)}`;
}

function withIds(blocks: readonly Block[], calls: readonly Call[]): readonly Block[] {
  const byBlock = new Map(calls.map((call) => [call.block, call]));
  return blocks.map((block) => {
    const call = byBlock.get(block);
    return call === undefined || call.id === block.id ? block : { ...block, id: call.id };
  });
}

function resultOf({ id, result }: Call): Block {
  if (result === undefined)
    return { type: 'tool_result', tool_use_id: id, content: NO_RESULT, is_error: true };
  return result.tool_use_id === id ? result : { ...result, tool_use_id: id };
}

function orphaned({ tool_use_id, content, is_error }: Block): readonly Block[] {
  return [
    textBlock(orphanHeading(textOf(tool_use_id) ?? '', is_error === true)),
    ...asBlocks(content).filter(({ type, text }) => type !== 'text' || !isBlank(text)),
  ];
}
