/** Streams of the Responses API, as hosts send them, and what they tell. */
import type { JsonObject } from '../../../../src/formats/chat/types.js';
import { elements, members } from '../../../../src/formats/json.js';
import type { NormalizedEvent } from '../../../../src/inference/ports/adapter.js';
import { AnswerCallIds } from '../../../../src/providers/common/answer-call-ids.js';
import { EventReader } from '../../../../src/providers/openai/responses/events.js';

/** How a host sends its items. */
export type Style =
  /** As OpenAI does: in deltas, and whole at the end of each. */
  | 'deltas'
  /** Each whole, without deltas. */
  | 'items'
  /** All with the last event alone. */
  | 'end'
  /** Without the numbers of items. */
  | 'unnumbered';

export const STYLES: readonly Style[] = ['deltas', 'items', 'end', 'unnumbered'];

/** The events of a stream of the response. */
export function streamOf(response: JsonObject, style: Style = 'deltas'): JsonObject[] {
  const output = elements(response.output).map(members);
  const head = { ...response, status: 'in_progress', output: [], usage: null };
  const middle = style === 'end' ? [] : output.flatMap((item, index) => itemEvents(item, index, style));
  return [
    { type: 'response.created', response: head },
    { type: 'response.in_progress', response: head },
    ...middle,
    { type: `response.${response.status}`, response },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

function itemEvents(item: JsonObject, index: number, style: Style): JsonObject[] {
  const place = style === 'unnumbered' ? { item_id: item.id } : { item_id: item.id, output_index: index };
  const { item_id, ...numbered } = place;
  const added = { type: 'response.output_item.added', ...numbered, item: begunItem(item) };
  const done = { type: 'response.output_item.done', ...numbered, item };
  const between = style === 'items' ? [] : deltasOf(item).map((event) => ({ ...event, ...place }));
  return [added, ...between, done];
}

function begunItem(item: JsonObject): JsonObject {
  const { content, summary, arguments: given, input, result, encrypted_content, ...rest } = item;
  return {
    ...rest,
    status: 'in_progress',
    ...(content !== undefined && { content: [] }),
    ...(summary !== undefined && { summary: [] }),
    ...(given !== undefined && { arguments: '' }),
    ...(input !== undefined && { input: '' }),
  };
}

function deltasOf({ type, content, summary, arguments: given, input }: JsonObject): JsonObject[] {
  switch (type) {
    case 'message':
      return elements(content).flatMap((part, at) => partEvents(members(part), at));
    case 'reasoning':
      return [
        ...elements(summary).flatMap((part, at) => summaryEvents(members(part), at)),
        ...elements(content).flatMap((part, at) => thoughtEvents(members(part), at)),
      ];
    case 'function_call':
      return pieces(given).map((delta) => ({ type: 'response.function_call_arguments.delta', delta }));
    case 'custom_tool_call':
      return pieces(input).map((delta) => ({ type: 'response.custom_tool_call_input.delta', delta }));
    default:
      return [];
  }
}

function partEvents(part: JsonObject, content_index: number): JsonObject[] {
  const { type, text, refusal, logprobs, annotations } = part;
  const kind = type === 'refusal' ? 'refusal' : 'output_text';
  const tokens = elements(logprobs);
  const deltas =
    tokens.length > 0
      ? tokens.map((one) => ({ delta: members(one).token, logprobs: [one] }))
      : pieces(text ?? refusal).map((delta) => ({ delta, logprobs: [] }));
  return [
    { type: 'response.content_part.added', content_index, part: { type, annotations: [], text: '' } },
    ...deltas.map((one) => ({ type: `response.${kind}.delta`, content_index, ...one })),
    ...elements(annotations).map((annotation, annotation_index) => ({
      type: 'response.output_text.annotation.added',
      content_index,
      annotation_index,
      annotation,
    })),
    { type: `response.${kind}.done`, content_index, text, refusal },
    { type: 'response.content_part.done', content_index, part },
  ];
}

function summaryEvents({ text }: JsonObject, summary_index: number): JsonObject[] {
  return [
    { type: 'response.reasoning_summary_part.added', summary_index },
    ...pieces(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index, delta })),
    { type: 'response.reasoning_summary_text.done', summary_index, text },
    { type: 'response.reasoning_summary_part.done', summary_index },
  ];
}

function thoughtEvents({ text }: JsonObject, content_index: number): JsonObject[] {
  return [
    ...pieces(text).map((delta) => ({ type: 'response.reasoning_text.delta', content_index, delta })),
    { type: 'response.reasoning_text.done', content_index, text },
  ];
}

const PIECE = 4;

function pieces(text: unknown): string[] {
  return String(text ?? '').match(new RegExp(`.{1,${PIECE}}`, 'gsu')) ?? [];
}

/** What the events of one stream tell. */
export function readStream(events: readonly JsonObject[], ids = new AnswerCallIds()): NormalizedEvent[] {
  const reader = new EventReader(ids);
  return events.flatMap((event) => [...reader.read(event)]);
}

/** The message that these events make, as clients assemble it. */
export function assembled(events: readonly NormalizedEvent[]): JsonObject {
  const deltas = events.flatMap((event) => (event.type === 'delta' ? [event.delta] : []));
  const list = (name: string) => deltas.flatMap((delta) => elements(delta[name]).map(members));
  const text = (name: string) => deltas.map((delta) => delta[name] ?? '').join('');
  const calls = callsOf(list('tool_calls'));
  const details = detailsOf(list('reasoning_details'));
  const others = Object.assign(
    {},
    ...deltas.map(({ provider_blocks }) => ({ ...(provider_blocks !== undefined && { provider_blocks }) })),
  );
  return {
    content: text('content'),
    ...(text('refusal') !== '' && { refusal: text('refusal') }),
    ...(text('reasoning') !== '' && { reasoning: text('reasoning') }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(list('annotations').length > 0 && { annotations: list('annotations') }),
    ...(list('images').length > 0 && { images: list('images') }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...others,
  };
}

/** Pieces of one thought are told apart by their index and type. */
function detailsOf(pieces: readonly JsonObject[]): JsonObject[] {
  const whole: JsonObject[] = [];
  for (const piece of pieces) {
    const last = whole.at(-1);
    const isSame = last?.index === piece.index && last?.type === piece.type;
    if (!isSame) whole.push(piece);
    else
      whole.splice(-1, 1, {
        ...last,
        ...(piece.text !== undefined && { text: `${last?.text}${piece.text}` }),
        ...(piece.summary !== undefined && { summary: `${last?.summary}${piece.summary}` }),
      });
  }
  return whole;
}

function callsOf(fragments: readonly JsonObject[]): JsonObject[] {
  const calls: JsonObject[] = [];
  for (const { index, ...fragment } of fragments) {
    const before = calls[index as number];
    calls[index as number] =
      before === undefined
        ? fragment
        : {
            ...before,
            ...grown(before, fragment, 'function', 'arguments'),
            ...grown(before, fragment, 'custom', 'input'),
          };
  }
  return calls;
}

function grown(before: JsonObject, fragment: JsonObject, kind: string, name: string): JsonObject {
  if (fragment[kind] === undefined) return {};
  const [known, added] = [members(before[kind]), members(fragment[kind])];
  return { [kind]: { ...known, [name]: `${known[name]}${added[name]}` } };
}
