/** The demo provider's answers as text completions. */
import { JsonText } from '../../base/json/json-text.js';
import type { Endpoint } from '../../catalog/types.js';
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import type {
  NativeEvent,
  NormalizedAnswer,
  NormalizedEvent,
  UpstreamAnswer,
  UpstreamUsage,
} from '../../inference/ports/adapter.js';

type Served = Pick<Endpoint, 'upstreamModelId'>;

/** The chat with which the demo provider answers a text that is to be completed. */
export function chatOfText({ prompt, ...members }: JsonObject): ChatBody {
  return { ...members, messages: [{ role: 'user', content: String(prompt) }] };
}

export function textAnswer(normalized: NormalizedAnswer, served: Served): UpstreamAnswer<'completions'> {
  const choices = normalized.choices.map(({ index, message, finish_reason }) =>
    choice(index, message.content ?? '', finish_reason),
  );
  const native = { ...head(served), choices, usage: countsOf(normalized.usage) };
  return { format: 'completions', native, normalized };
}

export function textEvent(event: NormalizedEvent, served: Served): NativeEvent {
  return { type: 'native', event: JsonText.of({ ...head(served), ...saidBy(event) }), normalized: [event] };
}

function saidBy(event: NormalizedEvent): JsonObject {
  if (event.type === 'usage') return { choices: [], usage: countsOf(event.usage) };
  if (event.type === 'finish') return { choices: [choice(event.index, '', event.reason)] };
  const text = event.type === 'delta' ? (event.delta.content ?? '') : '';
  return { choices: [choice(0, text, null)] };
}

function head({ upstreamModelId: model }: Served): JsonObject {
  return { id: 'cmpl-demo', object: 'text_completion', created: CREATED, model };
}

/** Equal requests have equal answers. Unix seconds. */
const CREATED = 1_750_000_000;

function choice(index: number, text: string, finish_reason: string | null): JsonObject {
  return { index, text, logprobs: null, finish_reason };
}

function countsOf({ promptTokens = 0, completionTokens = 0 }: UpstreamUsage): JsonObject {
  const total_tokens = promptTokens + completionTokens;
  return { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens };
}
