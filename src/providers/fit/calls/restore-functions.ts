/** Answers of clients that asked with `functions`, which tools were before: they read `function_call` alone. */
import { mapStream, type PushStream } from '../../../base/push-stream.js';
import type { ToolCall } from '../../../formats/chat/types.js';
import { elements } from '../../../formats/json.js';
import type { UpstreamAnswer, UpstreamCall, UpstreamEvent } from '../../../inference/ports/adapter.js';
import { mapped } from '../step.js';

/** Whether the call was asked with `functions`, and was sent with tools in their place. */
export function wantsFunctionCalls(given: UpstreamCall, sent: UpstreamCall): boolean {
  if (given.format !== 'chat' || sent.format !== 'chat') return false;
  const { functions, tools } = given.body;
  return functions !== undefined && sent.body.functions === undefined && elements(tools).length === 0;
}

/** The answer with its first call as `function_call`: a message has one. */
export function withFunctionCalls(answer: UpstreamAnswer): UpstreamAnswer {
  if (answer.format !== 'chat') return answer;
  const choices = mapped(answer.choices, (choice) => {
    const { tool_calls, ...message } = choice.message;
    const [first] = tool_calls ?? [];
    if (first === undefined) return choice;
    return { ...choice, message: { ...message, function_call: first.function } };
  });
  return { ...answer, choices };
}

/** As `withFunctionCalls`. */
export function streamWithFunctionCalls(stream: PushStream<UpstreamEvent>): PushStream<UpstreamEvent> {
  return mapStream(stream, { items: (events) => mapped(events, eventWithFunctionCall) });
}

function eventWithFunctionCall(event: UpstreamEvent): UpstreamEvent {
  if (event.type !== 'delta' || event.delta.tool_calls === undefined) return event;
  const { tool_calls, ...delta } = event.delta;
  const first = tool_calls.find(({ index }: ToolCall) => index === 0);
  return { ...event, delta: first === undefined ? delta : { ...delta, function_call: first.function } };
}
