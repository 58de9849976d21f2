/**
 * Calls of tools that the host runs, and their results, which stand in the assistant's turns. The API wants both or neither, but
 * for calls that wait: for the turn to go on at the end, or for calls of the client's tools that they made themselves.
 */
import { members } from '../../formats/json.js';
import type { Block, Turn } from './blocks.js';

export function isServerCall({ type }: Block): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

export function isServerResult({ type }: Block): boolean {
  return typeof type === 'string' && type.endsWith('_tool_result');
}

/** The id of the host's call that made this one. */
export function callingIdOf({ caller }: Block): unknown {
  return members(caller).tool_id;
}

/** The turns without calls that nothing answers, and results that answer nothing. */
export function withPairedServerCalls(turns: readonly Turn[]): readonly Turn[] {
  const blocks = turns.flatMap(({ content }) => content);
  if (!blocks.some((block) => isServerCall(block) || isServerResult(block))) return turns;
  const called = new Set(blocks.filter(isServerCall).map(({ id }) => id));
  const answered = new Set(blocks.filter(isServerResult).map(({ tool_use_id }) => tool_use_id));
  const calling = new Set(blocks.map(callingIdOf));
  return turns.flatMap((turn, at) => {
    const isOpen = at === turns.length - 1 && turn.role === 'assistant';
    const content = turn.content.filter((block) => {
      if (isServerResult(block)) return called.has(block.tool_use_id);
      return !isServerCall(block) || isOpen || answered.has(block.id) || calling.has(block.id);
    });
    return content.length === 0 ? [] : [{ ...turn, content }];
  });
}
