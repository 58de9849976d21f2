/**
 * OpenAI's answer, in one piece or in chunks: the same text. Its members are those of the package `openai`
 * (`ChatCompletion`, `ChatCompletionChunk`, `CompletionUsage`); `reasoning_content` is what hosts add that copy the format
 * (https://api-docs.deepseek.com/guides/thinking_mode).
 */
import type { ChatCall, FakeCall, FakePlan, ReasoningForm } from './plan.js';

const CREATED = 1_760_000_000;
const FINGERPRINT = 'fp_fake';
const TOOL_INPUT = { city: 'Zürich' };

/** The answer in one piece. */
export function wholeAnswer(call: ChatCall, plan: FakePlan): object {
  const text = wordsOf(call, plan).join('');
  const calls = callsOf(call, plan);
  const content = calls.length === 0 ? text : text || null;
  const message = {
    role: 'assistant',
    content,
    refusal: null,
    annotations: [],
    ...reasoningOf(plan, content),
    ...(calls.length > 0 && { tool_calls: calls.map((one) => toolCall(one, JSON.stringify(one.input))) }),
  };
  const finish_reason = calls.length === 0 ? finishOf(call, plan) : 'tool_calls';
  return {
    ...head(call, 'chat.completion', plan),
    choices: indices(call).map((index) => ({ index, message, finish_reason, logprobs: null })),
    usage: usageOf(call, plan),
  };
}

/** The chunks of the answer, the usage last if requested. */
export function chunksOf(call: ChatCall, plan: FakePlan): object[] {
  const isMetered = plan.isMetered === true || call.stream_options?.include_usage === true;
  const isPadded = call.stream_options?.include_obfuscation !== false;
  const chunk = (choices: readonly object[]) => ({
    ...head(call, 'chat.completion.chunk', plan),
    choices,
    ...(isMetered && { usage: null }),
    ...(isPadded && { obfuscation: 'x7Qp' }),
  });
  const piece = (delta: object, finish_reason: string | null = null) =>
    chunk(indices(call).map((index) => ({ index, delta, logprobs: null, finish_reason })));
  const calls = callsOf(call, plan);
  const answerPieces = [...textPieces(call, plan), ...calls.flatMap(callPieces)];
  const reason = calls.length === 0 ? finishOf(call, plan) : 'tool_calls';
  return [
    piece({ role: 'assistant', content: calls.length === 0 ? '' : null, refusal: null }),
    ...[...thoughtPieces(plan), ...answerPieces].map((delta) => piece(delta)),
    piece({}, reason),
    ...(isMetered ? [{ ...chunk([]), usage: usageOf(call, plan) }] : []),
  ];
}

function textPieces(call: ChatCall, plan: FakePlan): object[] {
  return wordsOf(call, plan).map((content) => ({ content }));
}

function thoughtPieces({ reasoning = [], reasoningAs }: FakePlan): object[] {
  return reasoning.map((text) => thought(text, reasoningAs));
}

function thought(text: string, form: ReasoningForm = 'reasoning_content'): object {
  return form === 'parts'
    ? { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }
    : { [form]: text };
}

/** The arguments follow piece by piece. */
function callPieces(call: FakeCall, index: number): object[] {
  return [
    { tool_calls: [{ index, ...toolCall(call, '') }] },
    ...argumentPieces(call).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function argumentPieces({ input }: FakeCall): readonly string[] {
  return JSON.stringify(input).match(/.{1,5}/gsu) ?? [];
}

function toolCall({ id, name }: FakeCall, text: string): object {
  return { id, type: 'function', function: { name, arguments: text } };
}

/** The tool of the plan is called, or the first one, but not after results. */
function callsOf(
  { messages, tools }: ChatCall,
  { toolCalls = 1, calls, tool }: FakePlan,
): readonly FakeCall[] {
  if (calls !== undefined) return calls;
  if (messages?.at(-1)?.role === 'tool') return [];
  const names = (tools ?? []).flatMap((one) => one.function?.name ?? []);
  const name = names.find((one) => one === tool?.name) ?? names[0];
  if (name === undefined) return [];
  const input = tool?.input ?? TOOL_INPUT;
  return Array.from({ length: toolCalls }, (_, n) => ({ id: `call_fake${n + 1}`, name, input }));
}

function head({ model }: ChatCall, object: string, { members }: FakePlan): object {
  return {
    id: 'chatcmpl-fake',
    object,
    created: CREATED,
    model,
    service_tier: 'default',
    system_fingerprint: FINGERPRINT,
    ...members,
  };
}

function indices({ n = 1 }: ChatCall): number[] {
  return [...Array(n).keys()];
}

function limitOf({ max_completion_tokens, max_tokens }: ChatCall): number {
  return max_completion_tokens ?? max_tokens ?? Infinity;
}

/** None beside calls, unless the plan has some. */
function wordsOf(call: ChatCall, plan: FakePlan): readonly string[] {
  const usual = callsOf(call, plan).length > 0 ? [] : ['Grüezi', ' mitenand', ' 👋🏽', '!'];
  return (plan.words ?? usual).slice(0, limitOf(call));
}

function finishOf(call: ChatCall, { words = [] }: FakePlan): string {
  return words.length > limitOf(call) ? 'length' : 'stop';
}

function reasoningOf({ reasoning, reasoningAs }: FakePlan, content: string | null): object {
  if (reasoning === undefined) return {};
  const thoughts = thought(reasoning.join(''), reasoningAs) as { content?: readonly object[] };
  if (thoughts.content === undefined) return thoughts;
  return { content: [...thoughts.content, ...(content === null ? [] : [{ type: 'text', text: content }])] };
}

function usageOf(call: ChatCall, plan: FakePlan): object {
  const thoughts = plan.reasoning?.length ?? 0;
  const prompt_tokens = JSON.stringify(call.messages).split(/\s+/).length;
  const written = [...wordsOf(call, plan), ...callsOf(call, plan).flatMap(argumentPieces)];
  const completion_tokens = (thoughts + written.length) * indices(call).length;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: thoughts,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...plan.usage,
  };
}
