/** Answers with the names of tools as the client gave them. */
import { JsonText } from '../../../base/json/json-text.js';
import { mapStream, type PushStream } from '../../../base/push-stream.js';
import type { AnswerChoice, ToolCall } from '../../../formats/chat/types.js';
import { elements, isObject } from '../../../formats/json.js';
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
  if (answer.format !== 'messages') return answer;
  const { native, normalized } = answer;
  const content = mapped(elements(native.content), (block) => restoredBlock(block, names));
  return { ...answer, native: { ...native, content }, normalized: restored(normalized) };
}

/** As `restoredAnswer`. A name comes whole, in the first fragment of its call. */
export function restoredStream(
  stream: PushStream<UpstreamEvent>,
  names: RenamedTools,
): PushStream<UpstreamEvent> {
  if (names.size === 0) return stream;
  return mapStream(stream, { items: (events) => mapped(events, (event) => restoredEvent(event, names)) });
}

function restoredEvent(event: UpstreamEvent, names: RenamedTools): UpstreamEvent {
  if (event.type === 'native') return restoredNative(event, names);
  return restoredNormalized(event, names);
}

/** Only the event that begins a call has its name. */
function restoredNative(native: NativeEvent, names: RenamedTools): NativeEvent {
  const { value } = native.event;
  if (value.type !== 'content_block_start') return native;
  const content_block = restoredBlock(value.content_block, names);
  if (content_block === value.content_block) return native;
  return {
    ...native,
    event: JsonText.of({ ...value, content_block }),
    normalized: mapped(native.normalized, (event) => restoredNormalized(event, names)),
  };
}

function restoredBlock(block: unknown, names: RenamedTools): unknown {
  if (!isObject(block) || block.type !== 'tool_use') return block;
  const original = typeof block.name === 'string' ? names.get(block.name) : undefined;
  return original === undefined ? block : { ...block, name: original };
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
    const name = call.function?.name;
    const original = name === undefined ? undefined : names.get(name);
    return original === undefined ? call : { ...call, function: { ...call.function, name: original } };
  });
}
