import { expect, it } from 'vitest';
import { JsonText } from '../../../src/base/json/json-text.js';
import { NativeEventWriter } from '../../../src/inference/responses/native-writer.js';
import { USAGE } from '../../formats/messages/answer.fixture.js';
import { SeededRandom } from '../../ledger/recompute/seeded-random.js';
import { judged } from '../../support/responses/event-order.js';

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

const part = (text: string) => ({ type: 'output_text', text, annotations: [] as object[], logprobs: [] });
const CITED = { type: 'url_citation', url: 'https://a.example/', title: 'A', start_index: 0, end_index: 2 };
const SECOND = { ...part('so is this'), annotations: [CITED, { ...CITED, title: 'B' }] };
const summary = { type: 'summary_text', text: 'First I think' };

const ITEMS = [
  { type: 'reasoning', id: 'rs_1', summary: [summary] },
  {
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [part('this is said'), SECOND],
  },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'c_1',
    name: 'look',
    arguments: '{"at":1}',
    status: 'completed',
  },
  {
    type: 'custom_tool_call',
    id: 'ct_1',
    call_id: 'c_2',
    name: 'patch',
    input: '*** Begin',
    status: 'completed',
  },
  { type: 'message', id: 'msg_2', status: 'completed', role: 'assistant', content: [part('done')] },
] as const;

const RESPONSE = {
  ...{ id: 'resp_theirs', object: 'response', created_at: 5, model: 'm', completed_at: null },
  ...{ status: 'in_progress', output: [] as unknown[], usage: null },
};
const ENDED = { ...RESPONSE, status: 'completed', completed_at: 6, output: ITEMS };

function textEvents(type: string, place: object, text: string, more: object): Event[] {
  return [
    { type: `${type}.delta`, ...place, ...more, delta: text.slice(0, 3) },
    { type: `${type}.delta`, ...place, ...more, delta: text.slice(3) },
    { type: `${type}.done`, ...place, ...more, text },
  ];
}

function eventsOf(item: (typeof ITEMS)[number], output_index: number): Event[] {
  const at = { item_id: item.id, output_index };
  const around = (begun: object, events: readonly Event[]): Event[] => [
    { type: 'response.output_item.added', output_index, item: { ...item, ...begun } },
    ...events,
    { type: 'response.output_item.done', output_index, item },
  ];
  switch (item.type) {
    case 'reasoning': {
      const place = { ...at, summary_index: 0 };
      return around({ summary: [] }, [
        { type: 'response.reasoning_summary_part.added', ...place, part: { ...summary, text: '' } },
        ...textEvents('response.reasoning_summary_text', place, summary.text, {}),
        { type: 'response.reasoning_summary_part.done', ...place, part: summary },
      ]);
    }
    case 'message':
      return around(
        { status: 'in_progress', content: [] },
        item.content.flatMap((one, content_index) => {
          const place = { ...at, content_index };
          const [first, second, done] = textEvents('response.output_text', place, one.text, {
            logprobs: [],
          });
          const cited = one.annotations.map((annotation, annotation_index): Event => {
            return {
              type: 'response.output_text.annotation.added',
              ...place,
              annotation_index,
              annotation,
            };
          });
          return [
            { type: 'response.content_part.added', ...place, part: part('') },
            ...[first, second, ...cited, done].filter((event) => event !== undefined),
            { type: 'response.content_part.done', ...place, part: one },
          ];
        }),
      );
    case 'function_call':
      return around({ status: 'in_progress', arguments: '' }, [
        { type: 'response.function_call_arguments.delta', ...at, delta: '{"at' },
        { type: 'response.function_call_arguments.delta', ...at, delta: '":1}' },
        { type: 'response.function_call_arguments.done', ...at, name: 'look', arguments: item.arguments },
      ]);
    case 'custom_tool_call':
      return around({ status: 'in_progress', input: '' }, [
        { type: 'response.custom_tool_call_input.delta', ...at, delta: item.input },
        { type: 'response.custom_tool_call_input.done', ...at, input: item.input },
      ]);
  }
}

/** The events of a host that leaves nothing out. */
function whole(): Event[] {
  const items = ITEMS.flatMap((item, output_index) => eventsOf(item, output_index));
  const events: Event[] = [
    { type: 'response.created', response: RESPONSE },
    { type: 'response.in_progress', response: RESPONSE },
    ...items,
    { type: 'response.completed', response: ENDED },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** Hosts number what they send. */
function numbered(events: readonly Event[]): Event[] {
  return events.map((event, sequence_number) =>
    'sequence_number' in event ? { ...event, sequence_number } : event,
  );
}

/** What a client is sent of these, all of them but the last as text. */
function sent(events: readonly Event[]): JsonText[] {
  const writer = new NativeEventWriter(() => ({ id: 'resp_gen-1', model: 'asked/for' }));
  const out: JsonText[] = [];
  for (const value of numbered(events))
    writer.write({ type: 'native', event: new JsonText(JSON.stringify(value), value), normalized: [] }, out);
  return [...out, ...writer.end(USAGE)];
}

const withoutMember = (name: string) => (events: readonly Event[]) =>
  events.map(({ [name]: _, ...event }) => event as Event);
const withoutEvents = (types: RegExp) => (events: readonly Event[]) =>
  events.filter(({ type }) => !types.test(type));
const withOtherIds = (events: readonly Event[]) =>
  events.map((event, at) =>
    event.type.endsWith('item.done')
      ? { ...event, item: { ...(event.item as object), id: `x${at}` } }
      : event,
  );

const LOSSES: readonly (readonly [name: string, lose: (events: readonly Event[]) => readonly Event[]])[] = [
  ...['sequence_number', 'output_index', 'item_id', 'content_index', 'summary_index', 'annotation_index'].map(
    (name) => [name, withoutMember(name)] as const,
  ),
  ['beginnings of items', withoutEvents(/output_item\.added/)],
  ['beginnings of parts', withoutEvents(/part\.added/)],
  ['pieces', withoutEvents(/\.delta/)],
  ['annotations', withoutEvents(/annotation\.added/)],
  ['ends of what grows', withoutEvents(/(?:text|arguments|input)\.done/)],
  ['ends of parts', withoutEvents(/part\.done/)],
  ['ends of items', withoutEvents(/output_item\.done/)],
  ['everything about items', withoutEvents(/output_item|part|text|arguments|input/)],
];

it('a native stream that lacks nothing passes as the text that it came in, but for the response’s own members', () => {
  const events = whole();
  const own = events.filter((event) => !('response' in event)).map((event) => JSON.stringify(event));
  expect(sent(events).flatMap(({ value, text }) => ('response' in value ? [] : [text]))).toEqual(own);
});

/**
 * Where a host does not say when something has ended, that is known at the end of what it is in, after what follows it. What was
 * begun without any id has that of its end there.
 */
const isOrdered = (names: readonly string[]) =>
  !names.includes('ends of parts') &&
  !names.includes('ends of items') &&
  !(names.includes('item_id') && names.includes('beginnings of items'));

it.each(LOSSES)('a native stream without %s has it', (name, lose) => {
  const values = sent(lose(whole())).map(({ value }) => value);
  expect(keptBy(values)).toEqual({ grown: GROWN, ended: ITEMS, output: ITEMS });
  if (isOrdered([name])) expect(judged(values).output).toEqual(ITEMS);
});

it('a native stream of which several things are lost at once has them all', () => {
  const random = new SeededRandom(20_261_127);
  for (let round = 0; round < 5000; round += 1) {
    const lost = LOSSES.filter(([name]) => name !== 'everything about items' && random.chance(0.3));
    const names = lost.map(([name]) => name);
    if (UNKNOWABLE.some((all) => all.every((name) => names.includes(name)))) continue;
    const events = lost.reduce<readonly Event[]>((left, [, lose]) => lose(left), whole());
    const values = sent(events).map(({ value }) => value);
    expect(() => keptBy(values), names.join()).not.toThrow();
    expect(keptBy(values), names.join()).toEqual({ grown: GROWN, ended: ITEMS, output: ITEMS });
    if (isOrdered(names)) expect(judged(values).output, names.join()).toEqual(ITEMS);
  }
});

/** Without all of these nobody can know what a piece belongs to, or in which order. */
const UNKNOWABLE = [
  ['content_index', 'beginnings of parts'],
  ['output_index', 'item_id', 'beginnings of items'],
  ['output_index', 'beginnings of items', 'ends of items'],
];

/** What grows in each item. */
const GROWN = ITEMS.map((item) => {
  if (item.type === 'reasoning') return [item.summary[0].text];
  if (item.type === 'message') return item.content.map(({ text }) => text);
  return [item.type === 'function_call' ? item.arguments : item.input];
});

/** What clients keep: SDKs what grows at each place that has begun, Codex each item by its end, others the last response. */
function keptBy(events: readonly Readonly<Record<string, unknown>>[]) {
  const grown: string[][] = [];
  const ended: unknown[] = [];
  let output: unknown;
  for (const { type, output_index, content_index = 0, summary_index, delta, item, response } of events) {
    const [at, part] = [Number(output_index), Number(summary_index ?? content_index)];
    const texts = grown[at];
    if (type === 'response.output_item.added') grown[at] = 'call_id' in Object(item) ? [''] : [];
    else if (String(type).endsWith('part.added')) texts?.splice(part, 0, '');
    else if (typeof delta === 'string') {
      if (texts?.[part] === undefined) throw new Error(`${type} before what it is about has begun`);
      texts[part] += delta;
    } else if (type === 'response.output_item.done') ended[at] = item;
    else if (type === 'response.completed') output = (response as { output: unknown }).output;
  }
  return { grown, ended, output };
}

it('a native stream whose items have other ids at their ends tells each once', () => {
  const types = sent(withOtherIds(whole())).map(({ value }) => value.type);
  expect(types).toEqual(whole().map(({ type }) => type));
});

it('items that a host begins whole are told no second time', () => {
  const events = whole().flatMap((event): Event[] => {
    if (event.type === 'response.output_item.added')
      return [{ ...event, item: { ...ITEMS[Number(event.output_index)], status: 'in_progress' } }];
    return /^response\.(?:output_item\.done|created|in_progress|completed)$/.test(event.type) ? [event] : [];
  });
  const ends = /(?:text|arguments|input|part)\.done$/;
  const types = sent(events).map(({ value }) => String(value.type));
  expect(types.filter((type) => !ends.test(type))).toEqual(events.map(({ type }) => type));
  expect(types.filter((type) => ends.test(type))).toHaveLength(10);
});

it('what has grown is told no second time where its end says it in other words', () => {
  const events = whole().map((event): Event => {
    if (event.type !== 'response.output_text.delta') return event;
    return { ...event, delta: String(event.delta).toUpperCase().slice(0, 2) };
  });
  const isDelta = ({ type }: Readonly<Record<string, unknown>>) => type === 'response.output_text.delta';
  expect(
    sent(events)
      .map(({ value }) => value)
      .filter(isDelta),
  ).toEqual(events.filter(isDelta));
});
