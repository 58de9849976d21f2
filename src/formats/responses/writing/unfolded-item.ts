/** An item in one piece as the events of a stream. */
import { elements, type JsonObject, members, textOf } from '../../json.js';
import type { UnnumberedEvent } from './item-events.js';
import { PARTS, type PartType } from './parts.js';

/** All events about an item that comes whole, as if it had grown, before they are numbered. */
export function itemEvents(item: JsonObject, output_index: number): UnnumberedEvent[] {
  const place = { item_id: item.id, output_index };
  const { begun, events } = growth(item);
  return [
    { type: 'response.output_item.added', output_index, item: begun },
    ...events.map((event) => ({ ...event, ...place })),
    { type: 'response.output_item.done', output_index, item },
  ];
}

interface Growth {
  /** The item as it begins. */
  readonly begun: JsonObject;
  readonly events: readonly UnnumberedEvent[];
}

/** What grows piece by piece; an item of any other type comes whole. */
function growth(item: JsonObject): Growth {
  const { type, name } = item;
  const begun: JsonObject = { ...item, ...('status' in item && { status: 'in_progress' }) };
  switch (type) {
    case 'message':
      return { begun: { ...begun, content: [] }, events: contentEvents(item) };
    case 'reasoning': {
      const { encrypted_content, ...rest } = begun;
      return {
        begun: { ...rest, summary: [], ...(Array.isArray(item.content) && { content: [] }) },
        events: [
          ...elements(item.summary).flatMap((part, at) => partEvents(part, at, 'summary_text')),
          ...contentEvents(item),
        ],
      };
    }
    case 'function_call': {
      const done = { type: 'response.function_call_arguments.done', arguments: item.arguments, name };
      const delta = { type: 'response.function_call_arguments.delta', delta: item.arguments };
      return { begun: { ...begun, arguments: '' }, events: [delta, done] };
    }
    case 'custom_tool_call': {
      const done = { type: 'response.custom_tool_call_input.done', input: item.input };
      const delta = { type: 'response.custom_tool_call_input.delta', delta: item.input };
      return { begun: { ...begun, input: '' }, events: [delta, done] };
    }
    default:
      return { begun, events: [] };
  }
}

function contentEvents({ content }: JsonObject): UnnumberedEvent[] {
  return elements(content).flatMap((part, at) => partEvents(part, at, 'output_text'));
}

/** Those about a part, without where it stands but for its number. What is no part that grows is one of these types. */
export function partEvents(raw: unknown, number: number, otherwise: PartType): UnnumberedEvent[] {
  const part = members(raw);
  const type = textOf(part.type) ?? '';
  const words = PARTS[Object.hasOwn(PARTS, type) ? (type as PartType) : otherwise];
  const { index, text, textEvent, partEvent, hasLogprobs } = words;
  const at = { [index]: number };
  const chances = hasLogprobs && { logprobs: elements(part.logprobs) };
  return [
    {
      type: `${partEvent}.added`,
      ...at,
      part: { ...part, [text]: '', ...(hasLogprobs && { annotations: [] }) },
    },
    { type: `${textEvent}.delta`, ...at, delta: part[text], ...chances },
    ...elements(part.annotations).map((annotation, annotation_index) => ({
      type: `${textEvent}.annotation.added`,
      ...at,
      annotation_index,
      annotation,
    })),
    { type: `${textEvent}.done`, ...at, [text]: part[text], ...chances },
    { type: `${partEvent}.done`, ...at, part },
  ];
}
