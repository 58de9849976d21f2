/**
 * Bedrock's answer, in one piece or in events: the same text. Its members are those of the package
 * `@aws-sdk/client-bedrock-runtime` (`ConverseResponse`, `ConverseStreamOutput`); the padding `p` is in no
 * document that we know.
 */
import { signatureOf } from '../fake-anthropic/answer.js';
import type { FakeCall } from '../fake-openai/plan.js';
import type { ConverseCall, FakeFrame, FakePlan } from './plan.js';

const TOOL_INPUT = { city: 'Zürich' };

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
  const words = wordsOf(call, plan);
  const calls = callsOf(call, plan);
  const isSilent = calls.length > 0 && plan.words === undefined;
  return [
    ...thoughts(plan),
    ...(isSilent ? [] : [{ whole: { text: words.join('') }, deltas: words.map((text) => ({ text })) }]),
    ...calls.map(toolUse),
  ];
}

/** The first tool is called, but not after results. */
function callsOf(
  { messages, toolConfig }: ConverseCall,
  { toolCalls = 1, calls, tool }: FakePlan,
): readonly FakeCall[] {
  if (calls !== undefined) return calls;
  if (messages?.at(-1)?.content.some(({ toolResult }) => toolResult !== undefined)) return [];
  const names = (toolConfig?.tools ?? []).flatMap(({ toolSpec }) => toolSpec?.name ?? []);
  const name = names.find((one) => one === tool?.name) ?? names[0];
  if (name === undefined) return [];
  const input = tool?.input ?? TOOL_INPUT;
  return Array.from({ length: toolCalls }, (_, n) => ({ id: `tooluse_fake${n + 1}`, name, input }));
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

function toolUse({ id: toolUseId, name, input }: FakeCall): AnswerBlock {
  const pieces = JSON.stringify(input).match(/.{1,5}/gsu) ?? [];
  return {
    whole: { toolUse: { toolUseId, name, input } },
    start: { toolUse: { toolUseId, name } },
    deltas: pieces.map((piece) => ({ toolUse: { input: piece } })),
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
  if (callsOf(call, plan).length > 0) return 'tool_use';
  return (plan.words?.length ?? 4) > wordsOf(call, plan).length ? 'max_tokens' : 'end_turn';
}

function usageOf(call: ConverseCall, plan: FakePlan): object {
  const inputTokens = JSON.stringify(call.messages).split(/\s+/).length;
  const outputTokens = (plan.reasoning?.length ?? 0) + wordsOf(call, plan).length;
  return plan.usage ?? { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
