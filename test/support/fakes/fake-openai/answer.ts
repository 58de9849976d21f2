/** OpenAI's answer, in one piece or in chunks: the same text. */
import type { ChatCall, FakePlan } from './plan.js';

const CREATED = 1_760_000_000;
const FINGERPRINT = 'fp_fake';
const TOOL_ARGUMENTS = ['{"city":', '"Zürich"', '}'];

/** In the pieces of a stream. */
function argumentsOf({ tool }: FakePlan): readonly string[] {
  return tool === undefined ? TOOL_ARGUMENTS : (JSON.stringify(tool.input).match(/.{1,9}/gsu) ?? []);
}

/** The answer in one piece. */
export function wholeAnswer(call: ChatCall, plan: FakePlan): object {
  const message = {
    role: 'assistant',
    content: wordsOf(call, plan).join(''),
    refusal: null,
    annotations: [],
  };
  const tool = toolOf(call, plan);
  const choice =
    tool === undefined
      ? { message: { ...message, ...reasoningOf(plan) }, finish_reason: finishOf(call, plan) }
      : {
          message: { ...message, ...reasoningOf(plan), content: null, tool_calls: toolCalls(tool, plan) },
          finish_reason: 'tool_calls',
        };
  return {
    ...head(call, 'chat.completion'),
    choices: indices(call).map((index) => ({ index, ...choice, logprobs: null })),
    usage: usageOf(call, plan),
  };
}

/** The chunks of the answer, the usage last if requested. */
export function chunksOf(call: ChatCall, plan: FakePlan): object[] {
  const isMetered = call.stream_options?.include_usage === true;
  const isPadded = call.stream_options?.include_obfuscation !== false;
  const chunk = (choices: readonly object[]) => ({
    ...head(call, 'chat.completion.chunk'),
    choices,
    ...(isMetered && { usage: null }),
    ...(isPadded && { obfuscation: 'x7Qp' }),
  });
  const piece = (delta: object, finish_reason: string | null = null) =>
    chunk(indices(call).map((index) => ({ index, delta, logprobs: null, finish_reason })));
  const tool = toolOf(call, plan);
  const answerPieces = tool === undefined ? textPieces(call, plan) : toolPieces(tool, plan);
  const reason = tool === undefined ? finishOf(call, plan) : 'tool_calls';
  return [
    piece({ role: 'assistant', content: tool === undefined ? '' : null, refusal: null }),
    ...[...thoughtPieces(plan), ...answerPieces].map((delta) => piece(delta)),
    piece({}, reason),
    ...(isMetered ? [{ ...chunk([]), usage: usageOf(call, plan) }] : []),
  ];
}

function textPieces(call: ChatCall, plan: FakePlan): object[] {
  return wordsOf(call, plan).map((content) => ({ content }));
}

function thoughtPieces({ reasoning = [] }: FakePlan): object[] {
  return reasoning.map((reasoning_content) => ({ reasoning_content }));
}

function toolPieces(name: string, plan: FakePlan): object[] {
  return [...Array(plan.toolCalls ?? 1).keys()].flatMap((index) => [
    { tool_calls: [{ index, ...toolCall(name, '', index) }] },
    ...argumentsOf(plan).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
}

function toolCalls(name: string, plan: FakePlan): object[] {
  const text = argumentsOf(plan).join('');
  return [...Array(plan.toolCalls ?? 1).keys()].map((index) => toolCall(name, text, index));
}

function toolCall(name: string, text: string, index: number): object {
  return { id: `call_fake${index + 1}`, type: 'function', function: { name, arguments: text } };
}

/** The tool to call: none after results. */
function toolOf({ messages, tools }: ChatCall, { tool }: FakePlan): string | undefined {
  if (messages?.at(-1)?.role === 'tool') return undefined;
  const named = tools?.find((one) => one.function?.name === tool?.name);
  return (named ?? tools?.[0])?.function?.name;
}

function head({ model }: ChatCall, object: string): object {
  return {
    id: 'chatcmpl-fake',
    object,
    created: CREATED,
    model,
    service_tier: 'default',
    system_fingerprint: FINGERPRINT,
  };
}

function indices({ n = 1 }: ChatCall): number[] {
  return [...Array(n).keys()];
}

function limitOf({ max_completion_tokens, max_tokens }: ChatCall): number {
  return max_completion_tokens ?? max_tokens ?? Infinity;
}

function wordsOf(
  call: ChatCall,
  { words = ['Grüezi', ' mitenand', ' 👋🏽', '!'] }: FakePlan,
): readonly string[] {
  return words.slice(0, limitOf(call));
}

function finishOf(call: ChatCall, { words = [] }: FakePlan): string {
  return words.length > limitOf(call) ? 'length' : 'stop';
}

function reasoningOf({ reasoning }: FakePlan): object {
  return reasoning === undefined ? {} : { reasoning_content: reasoning.join('') };
}

function usageOf(call: ChatCall, plan: FakePlan): object {
  const thoughts = plan.reasoning?.length ?? 0;
  const prompt_tokens = JSON.stringify(call.messages).split(/\s+/).length;
  const completion_tokens = (thoughts + wordsOf(call, plan).length) * indices(call).length;
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
