/** Reasoning that comes back: hosts take what they encrypted themselves, beside what it led to. */
import type { JsonObject } from '../../formats/chat/types.js';
import { isObject, textOf } from '../../formats/json.js';
import { isWholeWithoutId } from './ids.js';
import { changed, itemsOf, type ResponsesStep, typeOf, withMembers } from './step.js';

/**
 * Where the host stores nothing, reasoning that is not encrypted is not found there, and reasoning that led to nothing is
 * refused. The items that it led to then go without their ids, since hosts miss the reasoning of items that they know.
 */
export const fitReasoning: ResponsesStep = (call, { reasoningInput }) => {
  const items = itemsOf(call);
  if (reasoningInput === 'any' || !items.some(isReasoning)) return call;
  let isChanged = false;
  let isLost = false;
  const input: unknown[] = [];
  for (const [at, item] of items.entries()) {
    if (!isObject(item)) {
      input.push(item);
      continue;
    }
    if (isReasoning(item)) {
      isLost = !isWhole(item) || !leadsOn(items, at);
      const fitted = isLost ? undefined : withSummaryAlone(item);
      isChanged ||= fitted !== item;
      if (fitted === undefined) call.onAdapted?.('reasoning', 'left_out');
      else input.push(fitted);
      continue;
    }
    if (!isOfAssistant(item)) isLost = false;
    const fitted = isLost ? withoutId(item) : item;
    isChanged ||= fitted !== item;
    input.push(fitted);
  }
  return isChanged ? withMembers(call, { input }) : call;
};

function isReasoning(item: unknown): item is JsonObject {
  return isObject(item) && item.type === 'reasoning';
}

function isWhole({ encrypted_content }: JsonObject): boolean {
  return textOf(encrypted_content) !== undefined && encrypted_content !== '';
}

/** Whether something of the assistant's follows, though it be more reasoning. */
function leadsOn(items: readonly unknown[], at: number): boolean {
  for (const next of items.slice(at + 1)) {
    if (isObject(next) && !isReasoning(next)) return isOfAssistant(next);
  }
  return false;
}

/** OpenAI refuses readable text beside what is encrypted, a `status`, and a missing `summary`. */
function withSummaryAlone(item: JsonObject): JsonObject {
  const { content, status, summary } = item;
  return changed(item, {
    ...(Array.isArray(content) && content.length > 0 && { content: undefined }),
    ...(status !== undefined && { status: undefined }),
    ...(!Array.isArray(summary) && { summary: [] }),
  });
}

/** Outputs of calls and what others say end a turn of the assistant's. */
function isOfAssistant(item: JsonObject): boolean {
  const type = String(typeOf(item));
  return type === 'message' ? item.role === 'assistant' : !type.endsWith('_output');
}

/** The items without reasoning, and without the ids of what it led to. */
export function withoutReasoningItems(items: readonly unknown[]): readonly unknown[] {
  return items.flatMap((item) => {
    if (isReasoning(item)) return [];
    return isObject(item) && isOfAssistant(item) ? [withoutId(item)] : [item];
  });
}

function withoutId(item: JsonObject): JsonObject {
  return isWholeWithoutId(item) ? changed(item, { id: undefined }) : item;
}
