import { ExactInteger } from '../../../../base/json/exact-integer.js';
import type { ChatBody, JsonObject } from '../../../../formats/chat/types.js';
import { elements, members, textOf } from '../../../../formats/json.js';
import type { Reasoning } from '../../../../inference/reasoning/reasoning.js';
import { thinkingConfigOf } from './thinking.js';

/** Members that differ only in their name. */
const NAMES: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  n: 'candidateCount',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  logprobs: 'responseLogprobs',
};

/** The member `generationConfig`. */
export function generationConfigOf(body: ChatBody, reasoning: Reasoning | null, model: string): JsonObject {
  const thinkingConfig = thinkingConfigOf(model, reasoning);
  return {
    ...renamed(body),
    ...seedOf(body.seed),
    ...topLogprobsOf(body),
    ...lengthOf(body),
    ...stopOf(body.stop),
    ...formatOf(body.response_format),
    ...modalitiesOf(body),
    ...(thinkingConfig !== undefined && { thinkingConfig }),
  };
}

function renamed(body: ChatBody): JsonObject {
  return Object.fromEntries(
    Object.entries(NAMES).flatMap(([ours, theirs]) => {
      const value = body[ours];
      return value === undefined || value === null ? [] : [[theirs, value]];
    }),
  );
}

/** An integer of 32 bits: of a larger one the lower bits, so that the same seed stays the same. */
function seedOf(given: unknown): JsonObject {
  if (given === undefined || given === null) return {};
  if (given instanceof ExactInteger) return { seed: Number(BigInt.asIntN(32, BigInt(given.digits))) };
  return { seed: Number.isInteger(given) ? Number(given) | 0 : given };
}

/** How many there are may only be said where they are asked for. */
function topLogprobsOf({ logprobs, top_logprobs }: ChatBody): JsonObject {
  return logprobs === true && top_logprobs !== undefined && top_logprobs !== null
    ? { logprobs: top_logprobs }
    : {};
}

function lengthOf({ max_completion_tokens, max_tokens }: ChatBody): JsonObject {
  const maxOutputTokens = max_completion_tokens ?? max_tokens;
  return maxOutputTokens === undefined || maxOutputTokens === null ? {} : { maxOutputTokens };
}

/** Without empty sequences, which are refused. */
function stopOf(stop: ChatBody['stop']): JsonObject {
  const given = typeof stop === 'string' ? [stop] : (stop ?? []);
  const stopSequences = given.filter((sequence) => sequence !== '');
  return stopSequences.length === 0 ? {} : { stopSequences };
}

function formatOf(format: ChatBody['response_format']): JsonObject {
  const { type, json_schema } = members(format);
  if (type !== 'json_object' && type !== 'json_schema') return {};
  const { schema } = members(json_schema);
  return {
    responseMimeType: 'application/json',
    ...(type === 'json_schema' && schema !== undefined && { responseJsonSchema: schema }),
  };
}

function modalitiesOf({ modalities, audio }: ChatBody): JsonObject {
  const wanted = elements(modalities).map((modality) => String(modality).toUpperCase());
  const voiceName = textOf(members(audio).voice);
  return {
    ...(wanted.length > 0 && { responseModalities: wanted }),
    ...(voiceName !== undefined && { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } } }),
  };
}
