/** Reads the text, refusal, reasoning (under either of its names) and tool calls of a message or a delta. */
import { urlCitation } from '../../../formats/chat/citation.js';
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import { boundedElements, MAX_BLOCKS, MAX_CALLS } from '../../common/answer-bounds.js';

import type { AnswerRules } from './answer-rules.js';

/** A message or a delta; empty texts are undefined. */
export interface AssistantOutput {
  readonly content: string | undefined;
  readonly refusal: string | undefined;
  readonly reasoning: string | undefined;
  readonly toolCalls: readonly unknown[];
  /** All other members, without nulls. */
  readonly others: JsonObject;
}

/** Throws `UpstreamFailure` `malformed` for more than a message may have. */
export function readAssistantOutput(
  value: unknown,
  { keepsFunctionCalls }: Pick<AnswerRules, 'keepsFunctionCalls'>,
): AssistantOutput {
  const { role, content, refusal, reasoning, reasoning_content, tool_calls, ...rest } = members(value);
  const { function_call, ...others } = rest;
  const calls = boundedElements(tool_calls, MAX_CALLS);
  const isOlder = !keepsFunctionCalls && isObject(function_call);
  const parts = boundedElements(content, MAX_BLOCKS);
  return {
    content: textOf(content) ?? joined(parts, 'text'),
    refusal: textOf(refusal),
    reasoning: textOf(reasoning_content) ?? textOf(reasoning) ?? joined(parts, 'thinking'),
    // Some hosts say the same call in both ways.
    toolCalls: isOlder && calls.length === 0 ? [{ index: 0, function: function_call }] : calls,
    others: formed(withoutNulls(isOlder ? others : rest)),
  };
}

/**
 * Members whose form clients check, and refuse the whole answer for another one: what they could not read is left out. Each reader
 * has what it is given, or undefined for nothing.
 */
const FORMS = new Map<string, (value: unknown) => unknown>([
  ['annotations', (value) => objectsIn(value)?.flatMap(annotationOf)],
  ['audio', (value) => (isObject(value) ? value : undefined)],
  ['images', objectsIn],
  ['reasoning_details', objectsIn],
]);

/** Lists of an answer have the same maximum as its blocks. */
function formed(others: Record<string, unknown>): JsonObject {
  for (const name in others) {
    const value = others[name];
    boundedElements(value, MAX_BLOCKS);
    const read = FORMS.get(name);
    if (read === undefined) continue;
    const known = read(value);
    if (known === undefined) delete others[name];
    else others[name] = known;
  }
  return others;
}

function objectsIn(value: unknown): JsonObject[] | undefined {
  return Array.isArray(value) ? value.filter(isObject) : undefined;
}

/** Some hosts have the page beside the type, as the Responses API does. */
function annotationOf(annotation: JsonObject): JsonObject[] {
  if (annotation.type !== 'url_citation') return [annotation];
  const { type, url_citation, ...flat } = annotation;
  const cited = isObject(url_citation) ? url_citation : flat;
  const url = textOf(cited.url);
  return url === undefined ? [] : [urlCitation({ ...cited, url })];
}

/** The message of a choice in the older completions format, with which some hosts answer chats: its `text`. */
export function textMessage({ text }: JsonObject): JsonObject | undefined {
  return typeof text === 'string' ? { content: text } : undefined;
}

/** Mistral's reasoning models answer with content parts: texts, and thoughts that are lists of texts. */
function joined(parts: readonly unknown[], type: 'text' | 'thinking'): string | undefined {
  const texts = parts.map((part) => {
    const { type: partType, [type]: content } = members(part);
    if (partType !== type) return '';
    return textOf(content) ?? joined(elements(content), 'text') ?? '';
  });
  return textOf(texts.join(''));
}

function withoutNulls(others: Record<string, unknown>): Record<string, unknown> {
  if (!Object.values(others).includes(null)) return others;
  return Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
}
