/**
 * What Open Responses demands of answers and of events, as schemas: https://www.openresponses.org, version 2026-04-24
 * (`schema/*.tsp` of github.com/openresponses/openresponses, read on 2026-11-26). Its cases are sent by
 * `open-responses.test.ts`.
 */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { schemaViolations } from '../../support/json-schema.js';

const TEXT = { type: 'string' };
const WHOLE = { type: 'integer' };
const NUMBER = { type: 'number' };
const FLAG = { type: 'boolean' };
const ANY: JsonObject = {};

function ref(name: string): JsonObject {
  return { $ref: `#/${name}` };
}

function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] };
}

function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

function word(...words: readonly string[]): JsonObject {
  return { type: 'string', enum: [...words] };
}

/** Members after `optional` may be missing, and are never null. */
function object(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) };
}

const STATUS = word('in_progress', 'completed', 'incomplete');

const ITEM_EVENT = { output_index: WHOLE };
const PART_EVENT = { item_id: TEXT, ...ITEM_EVENT, content_index: WHOLE };
const SUMMARY_EVENT = { item_id: TEXT, ...ITEM_EVENT, summary_index: WHOLE };
const CALL_EVENT = { item_id: TEXT, ...ITEM_EVENT };
const STATE_EVENT = { response: ref('response') };

/** The closed list of types, with what each has. */
const EVENTS: Readonly<Record<string, readonly [required: JsonObject, optional?: JsonObject]>> = {
  'response.created': [STATE_EVENT],
  'response.queued': [STATE_EVENT],
  'response.in_progress': [STATE_EVENT],
  'response.completed': [STATE_EVENT],
  'response.failed': [STATE_EVENT],
  'response.incomplete': [STATE_EVENT],
  'response.output_item.added': [{ ...ITEM_EVENT, item: orNull(ref('item')) }],
  'response.output_item.done': [{ ...ITEM_EVENT, item: orNull(ref('item')) }],
  'response.reasoning_summary_part.added': [{ ...SUMMARY_EVENT, part: ref('part') }],
  'response.reasoning_summary_part.done': [{ ...SUMMARY_EVENT, part: ref('part') }],
  'response.reasoning_summary_text.delta': [{ ...SUMMARY_EVENT, delta: TEXT }, { obfuscation: TEXT }],
  'response.reasoning_summary_text.done': [{ ...SUMMARY_EVENT, text: TEXT }],
  'response.content_part.added': [{ ...PART_EVENT, part: ref('part') }],
  'response.content_part.done': [{ ...PART_EVENT, part: ref('part') }],
  'response.output_text.delta': [
    { ...PART_EVENT, delta: TEXT },
    { logprobs: listOf(ref('logprob')), obfuscation: TEXT },
  ],
  'response.output_text.done': [{ ...PART_EVENT, text: TEXT }, { logprobs: listOf(ref('logprob')) }],
  'response.output_text.annotation.added': [
    { ...PART_EVENT, annotation_index: WHOLE, annotation: orNull(ref('annotation')) },
  ],
  'response.refusal.delta': [{ ...PART_EVENT, delta: TEXT }],
  'response.refusal.done': [{ ...PART_EVENT, refusal: TEXT }],
  'response.reasoning.delta': [{ ...PART_EVENT, delta: TEXT }, { obfuscation: TEXT }],
  'response.reasoning.done': [{ ...PART_EVENT, text: TEXT }],
  'response.function_call_arguments.delta': [{ ...CALL_EVENT, delta: TEXT }, { obfuscation: TEXT }],
  'response.function_call_arguments.done': [{ ...CALL_EVENT, arguments: TEXT }],
  error: [{ error: object({ type: TEXT, code: orNull(TEXT), message: TEXT, param: orNull(TEXT) }) }],
};

const DOCUMENT: JsonObject = {
  logprob: object({ token: TEXT, logprob: NUMBER, bytes: listOf(WHOLE), top_logprobs: listOf(ANY) }),
  annotation: object({
    type: word('url_citation'),
    url: TEXT,
    start_index: WHOLE,
    end_index: WHOLE,
    title: TEXT,
  }),
  part: {
    anyOf: [
      object(
        { type: word('output_text'), text: TEXT, annotations: listOf(ref('annotation')) },
        { logprobs: listOf(ref('logprob')) },
      ),
      object({ type: word('input_text', 'text', 'summary_text', 'reasoning_text'), text: TEXT }),
      object({ type: word('refusal'), refusal: TEXT }),
    ],
  },
  item: {
    anyOf: [
      object(
        {
          type: word('message'),
          id: TEXT,
          status: STATUS,
          role: word('user', 'assistant', 'system', 'developer'),
          content: listOf(ref('part')),
        },
        { phase: word('commentary', 'final_answer') },
      ),
      object({
        type: word('function_call'),
        id: TEXT,
        call_id: { type: 'string', minLength: 1, maxLength: 64 },
        name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
        arguments: TEXT,
        status: STATUS,
      }),
      object(
        { type: word('reasoning'), id: TEXT, summary: listOf(ref('part')) },
        { content: listOf(ref('part')), encrypted_content: TEXT },
      ),
    ],
  },
  tool: object({
    type: word('function'),
    name: TEXT,
    description: orNull(TEXT),
    parameters: orNull({ type: 'object', properties: {} }),
    strict: orNull(FLAG),
  }),
  choice: {
    anyOf: [
      word('none', 'auto', 'required'),
      object({ type: word('function') }, { name: TEXT }),
      object({ type: word('allowed_tools'), mode: word('none', 'auto', 'required'), tools: listOf(ANY) }),
    ],
  },
  text: object(
    { format: object({ type: word('text', 'json_object', 'json_schema') }) },
    { verbosity: word('low', 'medium', 'high') },
  ),
  reasoning: object({
    effort: orNull(word('none', 'low', 'medium', 'high', 'xhigh')),
    summary: orNull(word('concise', 'detailed', 'auto')),
  }),
  usage: object({
    input_tokens: WHOLE,
    output_tokens: WHOLE,
    total_tokens: WHOLE,
    input_tokens_details: object({ cached_tokens: WHOLE }),
    output_tokens_details: object({ reasoning_tokens: WHOLE }),
  }),
  response: object({
    id: TEXT,
    object: word('response'),
    created_at: WHOLE,
    completed_at: orNull(WHOLE),
    status: word('in_progress', 'completed', 'incomplete', 'failed'),
    incomplete_details: orNull(object({ reason: TEXT })),
    model: TEXT,
    previous_response_id: orNull(TEXT),
    instructions: orNull(TEXT),
    output: listOf(ref('item')),
    error: orNull(object({ code: TEXT, message: TEXT })),
    tools: listOf(ref('tool')),
    tool_choice: ref('choice'),
    truncation: word('auto', 'disabled'),
    parallel_tool_calls: FLAG,
    text: ref('text'),
    top_p: NUMBER,
    presence_penalty: NUMBER,
    frequency_penalty: NUMBER,
    top_logprobs: WHOLE,
    temperature: NUMBER,
    reasoning: orNull(ref('reasoning')),
    usage: orNull(ref('usage')),
    max_output_tokens: orNull(WHOLE),
    max_tool_calls: orNull(WHOLE),
    store: FLAG,
    background: FLAG,
    service_tier: TEXT,
    metadata: ANY,
    safety_identifier: orNull(TEXT),
    prompt_cache_key: orNull(TEXT),
  }),
};

/** What is wrong with a whole answer. */
export function responseViolations(response: JsonValue): string[] {
  return schemaViolations(DOCUMENT, ref('response'), response);
}

/** What is wrong with the events of a stream: each by itself, their names, and their numbers. */
export function eventViolations(events: readonly (readonly [name: string, event: JsonObject])[]): string[] {
  return events.flatMap(([name, event], at) => {
    const type = String(event.type);
    const form = EVENTS[type];
    if (form === undefined) return [`${type} is no type of an event`];
    const [required, optional] = form;
    const schema = object(
      { type: TEXT, sequence_number: { type: 'integer', minimum: at, maximum: at }, ...required },
      optional,
    );
    const named = name === type ? [] : [`${type} is called ${name}`];
    return [...named, ...schemaViolations(DOCUMENT, schema, event, type)];
  });
}

/** A PNG of one red pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const said = (role: string, content: unknown, more: object = {}) => ({
  type: 'message',
  role,
  content,
  ...more,
});

/** A case of its acceptance tests that needs neither WebSocket nor compaction. */
export interface AcceptanceCase {
  readonly id: string;
  readonly body: object;
  /** The types of items, one of which the answer must have. */
  readonly item: 'message' | 'function_call';
}

export const CASES: readonly AcceptanceCase[] = [
  { id: 'basic-response', item: 'message', body: { input: [said('user', 'Say hello in three words.')] } },
  {
    id: 'assistant-phase',
    item: 'message',
    body: {
      input: [
        said('assistant', 'I look it up.', { phase: 'commentary' }),
        said('assistant', 'It is 42.', { phase: 'final_answer' }),
        said('user', 'Say it again.'),
      ],
    },
  },
  {
    id: 'streaming-response',
    item: 'message',
    body: { stream: true, input: [said('user', 'Count to five.')] },
  },
  {
    id: 'system-prompt',
    item: 'message',
    body: { input: [said('system', 'You are a pirate.'), said('user', 'Say hello.')] },
  },
  {
    id: 'tool-calling',
    item: 'function_call',
    body: {
      input: [said('user', 'How is the weather in Zürich?')],
      tools: [
        {
          type: 'function',
          name: 'get_weather',
          description: 'The weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      ],
    },
  },
  {
    id: 'image-input',
    item: 'message',
    body: {
      input: [
        said('user', [
          { type: 'input_text', text: 'What is in the image?' },
          { type: 'input_image', image_url: PIXEL },
        ]),
      ],
    },
  },
  {
    id: 'multi-turn',
    item: 'message',
    body: {
      input: [said('user', 'I am Ada.'), said('assistant', 'Hello Ada!'), said('user', 'What is my name?')],
    },
  },
];
