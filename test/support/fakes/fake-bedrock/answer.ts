/** Bedrock's answer, in one piece or in events: the same text. */
import { signatureOf } from '../fake-anthropic/answer.js';
import type { ConverseCall, FakeFrame, FakePlan } from './plan.js';

const TOOL_INPUT = ['{"city":', '"Zürich"', '}'];

/** A block of the answer: whole, and as the deltas of a stream. */
interface AnswerBlock {
  readonly whole: object;
  /** Only tools and images have a start event. */
  readonly start?: object;
  readonly deltas: readonly object[];
}

/** The answer in one piece. */
export function wholeAnswer(call: ConverseCall, plan: FakePlan): object {
  return {
    output: { message: { role: 'assistant', content: blocksOf(call, plan).map(({ whole }) => whole) } },
    stopReason: stopReasonOf(call, plan),
    usage: usageOf(call, plan),
    metrics: { latencyMs: 551 },
    ...plan.members,
  };
}

/** The events of the answer; the usage comes after its end. */
export function framesOf(call: ConverseCall, plan: FakePlan): FakeFrame[] {
  const blocks = blocksOf(call, plan).flatMap(({ start, deltas }, contentBlockIndex) => [
    ...(start === undefined ? [] : [event('contentBlockStart', { contentBlockIndex, start })]),
    ...deltas.map((delta) => event('contentBlockDelta', { contentBlockIndex, delta })),
    event('contentBlockStop', { contentBlockIndex }),
  ]);
  return [
    event('messageStart', { role: 'assistant' }),
    ...blocks,
    event('messageStop', { stopReason: stopReasonOf(call, plan) }),
    event('metadata', { usage: usageOf(call, plan), metrics: { latencyMs: 551 }, ...plan.members }),
  ];
}

/** An event as it comes: padded against guesses from its size. */
export function event(type: string, payload: object): FakeFrame {
  return { event: type, payload: { ...payload, p: 'abcdefghijkl' } };
}

function blocksOf(call: ConverseCall, plan: FakePlan): AnswerBlock[] {
  const tools = call.toolConfig?.tools;
  const tool = (tools?.find(({ toolSpec }) => toolSpec?.name === plan.tool?.name) ?? tools?.[0])?.toolSpec
    ?.name;
  const words = wordsOf(call, plan);
  const calls = callsOf(call, plan);
  return [
    ...thoughts(plan),
    ...(calls > 0 ? [] : [{ whole: { text: words.join('') }, deltas: words.map((text) => ({ text })) }]),
    ...Array.from({ length: calls }, (_, index) => toolUse(tool, `tooluse_fake${index + 1}`, plan)),
  ];
}

/** None after results. */
function callsOf({ messages, toolConfig }: ConverseCall, { toolCalls = 1 }: FakePlan): number {
  const isAnswered = messages?.at(-1)?.content.some(({ toolResult }) => toolResult !== undefined);
  return toolConfig === undefined || isAnswered === true ? 0 : toolCalls;
}

function thoughts({ reasoning, redacted }: FakePlan): AnswerBlock[] {
  const text = reasoning?.join('') ?? '';
  const signature = signatureOf(text);
  const readable = reasoning && {
    whole: { reasoningContent: { reasoningText: { text, signature } } },
    deltas: [...reasoning.map((piece) => ({ text: piece })), { signature }].map((reasoningContent) => ({
      reasoningContent,
    })),
  };
  const hidden = redacted && {
    whole: { reasoningContent: { redactedContent: redacted } },
    deltas: [{ reasoningContent: { redactedContent: redacted } }],
  };
  return [...(readable ? [readable] : []), ...(hidden ? [hidden] : [])];
}

function toolUse(name: string | undefined, toolUseId: string, { tool }: FakePlan): AnswerBlock {
  const pieces = tool === undefined ? TOOL_INPUT : (JSON.stringify(tool.input).match(/.{1,9}/gsu) ?? []);
  return {
    whole: { toolUse: { toolUseId, name, input: JSON.parse(pieces.join('')) } },
    start: { toolUse: { toolUseId, name } },
    deltas: pieces.map((input) => ({ toolUse: { input } })),
  };
}

function wordsOf(
  { inferenceConfig }: ConverseCall,
  { words = ['Grüezi', ' mitenand', ' 👋🏽', '!'] }: FakePlan,
): readonly string[] {
  return words.slice(0, inferenceConfig?.maxTokens ?? Infinity);
}

function stopReasonOf(call: ConverseCall, plan: FakePlan): string {
  if (plan.stopReason !== undefined) return plan.stopReason;
  if (callsOf(call, plan) > 0) return 'tool_use';
  return (plan.words?.length ?? 4) > wordsOf(call, plan).length ? 'max_tokens' : 'end_turn';
}

function usageOf(call: ConverseCall, plan: FakePlan): object {
  const inputTokens = JSON.stringify(call.messages).split(/\s+/).length;
  const outputTokens = (plan.reasoning?.length ?? 0) + wordsOf(call, plan).length;
  return plan.usage ?? { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
