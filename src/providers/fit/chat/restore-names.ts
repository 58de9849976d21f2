/** Answers with the names of tools as the client gave them. */
import { JsonText } from '../../../base/json/json-text.js';
import { mapStream, type PushStream } from '../../../base/push-stream.js';
import type { Format, NativeFormat } from '../../../catalog/types.js';
import type { AnswerChoice, JsonObject, ToolCall } from '../../../formats/chat/types.js';
import { isObject, members } from '../../../formats/json.js';
import type {
  NativeEvent,
  NormalizedAnswer,
  NormalizedEvent,
  UpstreamAnswer,
  UpstreamEvent,
} from '../../../inference/ports/adapter.js';
import { mapped } from '../step.js';
import type { RenamedTools } from './tool-names.js';

/** The very answer where no name was changed. */
export function restoredAnswer(answer: UpstreamAnswer, names: RenamedTools): UpstreamAnswer {
  if (names.size === 0) return answer;
  const restored = <T extends NormalizedAnswer>(one: T): T => ({
    ...one,
    choices: mapped(one.choices, (choice) => restoredChoice(choice, names)),
  });
  if (answer.format === 'chat') return restored(answer);
  const { native, normalized } = answer;
  return {
    ...answer,
    native: RESTORED[answer.format].answer(native, names),
    normalized: restored(normalized),
  };
}

/** What of native answers and events has names of tools, with their names. The very object where none was changed. */
interface Restored {
  answer(native: JsonObject, names: RenamedTools): JsonObject;
  event(event: JsonObject, names: RenamedTools): JsonObject;
}

const RESTORED: Readonly<Record<NativeFormat, Restored>> = {
  messages: {
    answer: (native, names) => withList(native, 'content', (block) => restoredBlock(block, names)),
    /** Only the event that begins a call has its name. */
    event: (event, names) =>
      event.type === 'content_block_start'
        ? withOne(event, 'content_block', restoredBlock(event.content_block, names))
        : event,
  },
  responses: {
    answer: withItems,
    /** Events that begin and end an item have all of it, the last one of the stream all items. */
    event(event, names) {
      if (isObject(event.response)) return withOne(event, 'response', withItems(event.response, names));
      if (isObject(event.item)) return withOne(event, 'item', restoredItem(event.item, names));
      return 'name' in event ? restoredName(event, names) : event;
    },
  },
  // No tools are called.
  completions: { answer: (native) => native, event: (event) => event },
  embeddings: { answer: (native) => native, event: (event) => event },
  rerank: { answer: (native) => native, event: (event) => event },
};

function withItems(response: JsonObject, names: RenamedTools): JsonObject {
  return withList(response, 'output', (item) => restoredItem(item, names));
}

const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);

function restoredItem(item: unknown, names: RenamedTools): unknown {
  return isObject(item) && CALLS.has(item.type) ? restoredName(item, names) : item;
}

function restoredName(owner: JsonObject, names: RenamedTools): JsonObject {
  const original = typeof owner.name === 'string' ? names.get(owner.name) : undefined;
  return original === undefined ? owner : { ...owner, name: original };
}

function withList(owner: JsonObject, name: string, change: (element: unknown) => unknown): JsonObject {
  return Array.isArray(owner[name]) ? withOne(owner, name, mapped(owner[name], change)) : owner;
}

function withOne(owner: JsonObject, name: string, value: unknown): JsonObject {
  return value === owner[name] ? owner : { ...owner, [name]: value };
}

/** As `restoredAnswer`. A name comes whole, in the first fragment of its call. */
export function restoredStream(
  stream: PushStream<UpstreamEvent>,
  format: Format,
  names: RenamedTools,
): PushStream<UpstreamEvent> {
  if (names.size === 0) return stream;
  return mapStream(stream, {
    items: (events) => mapped(events, (event) => restoredEvent(event, format, names)),
  });
}

function restoredEvent(event: UpstreamEvent, format: Format, names: RenamedTools): UpstreamEvent {
  if (event.type !== 'native') return restoredNormalized(event, names);
  return format === 'chat' ? event : restoredNative(event, format, names);
}

function restoredNative(native: NativeEvent, format: NativeFormat, names: RenamedTools): NativeEvent {
  const { value } = native.event;
  const event = isObject(value) ? RESTORED[format].event(value, names) : value;
  if (event === value) return native;
  return {
    ...native,
    event: JsonText.of(event),
    normalized: mapped(native.normalized, (one) => restoredNormalized(one, names)),
  };
}

function restoredBlock(block: unknown, names: RenamedTools): unknown {
  return isObject(block) && block.type === 'tool_use' ? restoredName(block, names) : block;
}

function restoredNormalized(event: NormalizedEvent, names: RenamedTools): NormalizedEvent {
  if (event.type !== 'delta' || event.delta.tool_calls === undefined) return event;
  return { ...event, delta: { ...event.delta, tool_calls: restoredCalls(event.delta.tool_calls, names) } };
}

function restoredChoice(choice: AnswerChoice, names: RenamedTools): AnswerChoice {
  const { message } = choice;
  if (message.tool_calls === undefined) return choice;
  return { ...choice, message: { ...message, tool_calls: restoredCalls(message.tool_calls, names) } };
}

function restoredCalls(calls: readonly ToolCall[], names: RenamedTools): readonly ToolCall[] {
  return mapped(calls, (call) => {
    const kind = call.function === undefined ? 'custom' : 'function';
    const { name, ...rest } = members(call[kind]);
    const original = typeof name === 'string' ? names.get(name) : undefined;
    return original === undefined ? call : { ...call, [kind]: { name: original, ...rest } };
  });
}
