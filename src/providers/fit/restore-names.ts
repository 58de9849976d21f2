/** Answers with the names of tools as the client gave them. */
import { mapStream, type PushStream } from '../../base/push-stream.js';
import type { AnswerChoice, ToolCall } from '../../formats/chat/types.js';
import type { UpstreamAnswer, UpstreamEvent } from '../../inference/ports/adapter.js';
import { mapped } from './step.js';
import type { RenamedTools } from './tool-names.js';

/** The very answer where no name was changed, as in native requests. */
export function restoredAnswer(answer: UpstreamAnswer, names: RenamedTools): UpstreamAnswer {
  if (names.size === 0 || answer.format !== 'chat') return answer;
  return { ...answer, choices: mapped(answer.choices, (choice) => restoredChoice(choice, names)) };
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
