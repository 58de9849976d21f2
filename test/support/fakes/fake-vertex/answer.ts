/**
 * Gemini's answer, in one piece or in chunks: the same parts. Its members are those of the package `@google/genai`
 * (`GenerateContentResponse`).
 */
import type { FakePart, FakePlan, GenerateCall } from './plan.js';

const RESPONSE_ID = 'uLdYaI6zLKOAmtkPp9WR6AU';

/** What the newer models sign their calls with. */
export const SIGNATURE = 'CvcQAePx/16NNGVB1Pj5+oZ4=';

/** The answer in one piece: words that belong together are one part. */
export function wholeAnswer(call: GenerateCall, plan: FakePlan, model: string): object {
  const parts = partsOf(call, plan, model);
  return {
    candidates: indices(call).map((index) => ({
      ...(index > 0 && { index }),
      content: { role: 'model', parts: joined(parts) },
      ...endOf(call, plan),
      ...logprobsOf(call, parts),
    })),
    ...headOf(model),
    usageMetadata: usageOf(call, plan, parts),
  };
}

/** The chunks: a part each, the end and the usage with the last. */
export function chunksOf(call: GenerateCall, plan: FakePlan, model: string): object[] {
  const parts = partsOf(call, plan, model);
  const pieces: readonly (FakePart | undefined)[] = parts.length === 0 ? [undefined] : parts;
  return pieces.map((part, position) => {
    const isLast = position === pieces.length - 1;
    return {
      candidates: indices(call).map((index) => ({
        ...(index > 0 && { index }),
        content: { role: 'model', ...(part && { parts: [part] }) },
        ...(isLast && endOf(call, plan)),
        ...(part && logprobsOf(call, [part])),
      })),
      ...headOf(model),
      usageMetadata: isLast ? usageOf(call, plan, parts) : trafficOf(plan),
    };
  });
}

function partsOf(call: GenerateCall, plan: FakePlan, model: string): FakePart[] {
  if (plan.parts !== undefined) return [...plan.parts];
  const { includeThoughts = false } = call.generationConfig?.thinkingConfig ?? {};
  const thoughts = includeThoughts ? (plan.thoughts ?? ['Hm,', ' well']) : [];
  const shown = thoughts.map((text) => ({ text, thought: true }));
  const name = calledBy(call, plan);
  if (name === undefined) return [...shown, ...wordsOf(call, plan).map((text) => ({ text }))];
  const isSigned = /gemini-[3-9]/.test(model);
  const functionCall = { name, args: plan.tool?.input ?? { city: 'Zürich' } };
  return [...shown, { functionCall, ...(isSigned && { thoughtSignature: SIGNATURE }) }];
}

/** The tool to call: none after results, and none for `NONE`. */
function calledBy(
  { contents = [], tools, toolConfig }: GenerateCall,
  { tool }: FakePlan,
): string | undefined {
  const isAnswered = contents.at(-1)?.parts.some(({ functionResponse }) => functionResponse !== undefined);
  const { mode, allowedFunctionNames = [] } = toolConfig?.functionCallingConfig ?? {};
  if (isAnswered || mode === 'NONE') return undefined;
  const declared = tools?.[0]?.functionDeclarations;
  return (
    allowedFunctionNames[0] ?? (declared?.find(({ name }) => name === tool?.name) ?? declared?.[0])?.name
  );
}

function wordsOf({ generationConfig }: GenerateCall, plan: FakePlan): readonly string[] {
  return (plan.words ?? ['Grüezi', ' mitenand', ' 👋🏽', '!']).slice(0, generationConfig?.maxOutputTokens);
}

function joined(parts: readonly FakePart[]): FakePart[] {
  const all: FakePart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    const isSame = last?.text !== undefined && part.text !== undefined && last.thought === part.thought;
    if (isSame && last.thoughtSignature === undefined)
      all.splice(-1, 1, { ...last, ...part, text: last.text + part.text });
    else all.push(part);
  }
  return all;
}

function endOf(call: GenerateCall, plan: FakePlan): object {
  const isCut =
    (plan.words ?? ['', '', '', '']).length > (call.generationConfig?.maxOutputTokens ?? Infinity);
  return { finishReason: plan.finishReason ?? (isCut ? 'MAX_TOKENS' : 'STOP'), ...plan.candidate };
}

function headOf(model: string): object {
  return { modelVersion: model, createTime: '2026-01-05T12:30:00.123456Z', responseId: RESPONSE_ID };
}

function indices({ generationConfig }: GenerateCall): number[] {
  return [...Array(generationConfig?.candidateCount ?? 1).keys()];
}

/** Every chunk tells it. */
function trafficOf({ usage }: FakePlan): object {
  return {
    trafficType: 'ON_DEMAND',
    ...(usage && 'trafficType' in usage && { trafficType: usage.trafficType }),
  };
}

function usageOf(call: GenerateCall, plan: FakePlan, parts: readonly FakePart[]): object {
  const promptTokenCount = JSON.stringify(call.contents).split(/\s+/).length;
  const thoughtsTokenCount = parts.filter(({ thought }) => thought === true).length;
  const candidatesTokenCount = (parts.length - thoughtsTokenCount) * indices(call).length;
  return {
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount + thoughtsTokenCount,
    trafficType: 'ON_DEMAND',
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokenCount }],
    candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: candidatesTokenCount }],
    ...(thoughtsTokenCount > 0 && { thoughtsTokenCount }),
    ...plan.usage,
  };
}

function logprobsOf({ generationConfig }: GenerateCall, parts: readonly FakePart[]): object {
  if (generationConfig?.responseLogprobs !== true) return {};
  const chosenCandidates = parts.flatMap(({ text }) =>
    text === undefined ? [] : [{ token: text, tokenId: text.length, logProbability: -0.25 }],
  );
  const topCandidates = chosenCandidates.map((chosen) => ({
    candidates: [chosen, { token: 'other', tokenId: 7, logProbability: -1.5 }],
  }));
  return { logprobsResult: { chosenCandidates, topCandidates }, avgLogprobs: -0.25 };
}
