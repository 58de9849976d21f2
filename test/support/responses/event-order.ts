/**
 * Judges the events of a streamed response, by OpenAI's reference of streaming events
 * (https://platform.openai.com/docs/api-reference/responses-streaming) and what SDKs and Codex were seen to need.
 */
import { expect } from 'vitest';
import { isObject, type JsonObject, members } from '../../../src/formats/json.js';

/** An event as a client has it. */
export type SentEvent = JsonObject;

const PARTS: Readonly<Record<string, { index: string; text: string; event: string; around: string }>> = {
  output_text: {
    index: 'content_index',
    text: 'text',
    event: 'response.output_text',
    around: 'response.content_part',
  },
  refusal: {
    index: 'content_index',
    text: 'refusal',
    event: 'response.refusal',
    around: 'response.content_part',
  },
  reasoning_text: {
    index: 'content_index',
    text: 'text',
    event: 'response.reasoning_text',
    around: 'response.content_part',
  },
  summary_text: {
    index: 'summary_index',
    text: 'text',
    event: 'response.reasoning_summary_text',
    around: 'response.reasoning_summary_part',
  },
};

const INPUTS: Readonly<Record<string, { event: string; member: string }>> = {
  function_call: { event: 'response.function_call_arguments', member: 'arguments' },
  custom_tool_call: { event: 'response.custom_tool_call_input', member: 'input' },
};

/** Checks every rule, and returns the response of the last event. */
export function judged(events: readonly SentEvent[]): JsonObject {
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const rest = new Rest(events);
  const created = members(rest.next('response.created').response);
  expect(created).toMatchObject({ object: 'response', status: 'in_progress', output: [], usage: null });
  expect(rest.next('response.in_progress').response).toEqual(created);
  const items: JsonObject[] = [];
  while (rest.type === 'response.output_item.added') items.push(item(rest, items.length));
  const error = rest.type === 'error' ? rest.next('error') : undefined;
  const final = members(rest.next().response);
  expect(rest.isEnd).toBe(true);
  const { status, output, id, model, created_at } = final;
  expect(events.at(-1)?.type).toBe(`response.${String(status)}`);
  expect({ id, model, created_at }).toEqual({
    id: created.id,
    model: created.model,
    created_at: created.created_at,
  });
  if (status === 'failed') {
    expect(error).toMatchObject(members(final.error));
    expect(members(error?.error)).toMatchObject(members(final.error));
    const done = items.filter((one) => one !== UNENDED);
    expect((output as unknown[]).slice(0, done.length)).toEqual(done);
  } else {
    expect(error).toBeUndefined();
    expect(output).toEqual(items);
    expect((final.completed_at ?? null) !== null).toBe(status === 'completed');
  }
  return final;
}

/** An item that no event ended. */
const UNENDED: JsonObject = {};

function item(rest: Rest, output_index: number): JsonObject {
  const added = rest.next('response.output_item.added');
  expect(added.output_index).toBe(output_index);
  const begun = members(added.item);
  const place = { item_id: begun.id, output_index };
  const parts: Record<'content' | 'summary', JsonObject[]> = { content: [], summary: [] };
  for (;;) {
    if (rest.isOver) return UNENDED;
    if (!String(rest.type).endsWith('part.added')) break;
    const { part, list } = read(rest, place, parts);
    if (part === undefined) return UNENDED;
    parts[list].push(part);
  }
  const input = INPUTS[String(begun.type)];
  let written = '';
  if (input !== undefined) {
    expect(begun[input.member]).toBe('');
    while (rest.type === `${input.event}.delta`) {
      const delta = rest.next();
      expect(delta).toMatchObject(place);
      written += delta.delta;
    }
    if (rest.isOver) return UNENDED;
    expect(rest.next(`${input.event}.done`)).toMatchObject({ ...place, [input.member]: written });
  }
  const done = rest.next('response.output_item.done');
  expect(done.output_index).toBe(output_index);
  const ended = members(done.item);
  expect({ type: ended.type, id: ended.id, call_id: ended.call_id }).toEqual({
    type: begun.type,
    id: begun.id,
    call_id: begun.call_id,
  });
  if (input !== undefined) expect(ended[input.member]).toBe(written);
  if (ended.type === 'message' || parts.content.length > 0) expect(ended.content).toEqual(parts.content);
  if (ended.type === 'reasoning') expect(ended.summary).toEqual(parts.summary);
  return ended;
}

function read(rest: Rest, place: JsonObject, parts: Record<'content' | 'summary', JsonObject[]>) {
  const added = rest.next();
  const type = String(members(added.part).type);
  const words = PARTS[type];
  if (words === undefined) throw new Error(`unknown part ${type}`);
  const list = words.index === 'summary_index' ? ('summary' as const) : ('content' as const);
  const at = { ...place, [words.index]: parts[list].length };
  expect(added).toMatchObject({ type: `${words.around}.added`, ...at });
  expect(members(added.part)[words.text]).toBe('');
  let text = '';
  const annotations: unknown[] = [];
  for (;;) {
    if (rest.type === `${words.event}.delta`) {
      const delta = rest.next();
      expect(delta).toMatchObject(at);
      if (type === 'output_text') expect(Array.isArray(delta.logprobs)).toBe(true);
      text += delta.delta;
    } else if (rest.type === `${words.event}.annotation.added`) {
      const annotation = rest.next();
      expect(annotation).toMatchObject({ ...at, annotation_index: annotations.length });
      annotations.push(annotation.annotation);
    } else break;
  }
  if (rest.isOver) return { list, part: undefined };
  expect(rest.next(`${words.event}.done`)).toMatchObject({ ...at, [words.text]: text });
  const done = rest.next(`${words.around}.done`);
  expect(done).toMatchObject(at);
  const part = members(done.part);
  expect(part).toMatchObject({ type, [words.text]: text, ...(annotations.length > 0 && { annotations }) });
  return { list, part };
}

class Rest {
  readonly #events: readonly SentEvent[];
  #at = 0;

  constructor(events: readonly SentEvent[]) {
    this.#events = events;
  }

  get type(): unknown {
    return this.#events[this.#at]?.type;
  }

  get isEnd(): boolean {
    return this.#at >= this.#events.length;
  }

  /** Whether only the end of a failed response follows. */
  get isOver(): boolean {
    return this.type === 'error' || this.type === 'response.failed';
  }

  next(type?: string): SentEvent {
    const event = this.#events[this.#at++];
    if (type !== undefined) expect(event?.type).toBe(type);
    return isObject(event) ? event : {};
  }
}
