/** An item in one piece as the events of a stream. */
import { elements, type JsonObject, members } from '../../json.js';
import type { UnnumberedEvent } from './item-events.js';

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
      return { begun: { ...begun, content: [] }, events: elements(item.content).flatMap(partEvents) };
    case 'reasoning': {
      const { encrypted_content, ...rest } = begun;
      const content = elements(item.content);
      return {
        begun: { ...rest, summary: [], ...(Array.isArray(item.content) && { content: [] }) },
        events: [...elements(item.summary).flatMap(summaryEvents), ...content.flatMap(partEvents)],
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

/** Those about a part, without where it stands but for its number. */
export function partEvents(raw: unknown, content_index: number): UnnumberedEvent[] {
  const part = members(raw);
  const { type, text, refusal, annotations, logprobs } = part;
  const at = { content_index };
  const added = { type: 'response.content_part.added', ...at };
  const done = { type: 'response.content_part.done', ...at, part };
  if (type === 'refusal') {
    return [
      { ...added, part: { ...part, refusal: '' } },
      { type: 'response.refusal.delta', ...at, delta: refusal },
      { type: 'response.refusal.done', ...at, refusal },
      done,
    ];
  }
  if (type === 'reasoning_text') {
    return [
      { ...added, part: { ...part, text: '' } },
      { type: 'response.reasoning_text.delta', ...at, delta: text },
      { type: 'response.reasoning_text.done', ...at, text },
      done,
    ];
  }
  const chances = elements(logprobs);
  return [
    { ...added, part: { ...part, text: '', annotations: [] } },
    { type: 'response.output_text.delta', ...at, delta: text, logprobs: chances },
    ...elements(annotations).map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      ...at,
      annotation_index,
      annotation,
    })),
    { type: 'response.output_text.done', ...at, text, logprobs: chances },
    done,
  ];
}

export function summaryEvents(raw: unknown, summary_index: number): UnnumberedEvent[] {
  const part = members(raw);
  const at = { summary_index };
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: part.text },
    { type: 'response.reasoning_summary_text.done', ...at, text: part.text },
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ];
}
