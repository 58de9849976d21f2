/** What an assistant says, whole or as a piece: text, a refusal, reasoning under either of its names. */
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, members, textOf } from '../http/json.js';

/** The parts of a message or a delta; what says nothing is undefined. */
export interface AssistantOutput {
  readonly content: string | undefined;
  readonly refusal: string | undefined;
  readonly reasoning: string | undefined;
  readonly toolCalls: readonly unknown[];
  /** Members that are not named here, but for those that are null. */
  readonly others: JsonObject;
}

/** Reads a message or a delta. */
export function readAssistantOutput(value: unknown): AssistantOutput {
  const { role, content, refusal, reasoning, reasoning_content, tool_calls, ...others } = members(value);
  const parts = elements(content);
  return {
    content: textOf(content) ?? joined(parts, 'text'),
    refusal: textOf(refusal),
    reasoning: textOf(reasoning_content) ?? textOf(reasoning) ?? joined(parts, 'thinking'),
    toolCalls: elements(tool_calls),
    others: withoutNulls(others),
  };
}

/** Mistral's reasoning models answer in parts: texts, and thoughts that are lists of texts. */
function joined(parts: readonly unknown[], type: 'text' | 'thinking'): string | undefined {
  const texts = parts.map((part) => {
    const { type: own, [type]: translated } = members(part);
    if (own !== type) return '';
    return textOf(translated) ?? joined(elements(translated), 'text') ?? '';
  });
  return textOf(texts.join(''));
}

function withoutNulls(others: JsonObject): JsonObject {
  if (!Object.values(others).includes(null)) return others;
  return Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
}
