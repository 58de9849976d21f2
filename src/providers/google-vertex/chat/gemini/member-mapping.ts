import type { JsonObject } from '../../../../formats/chat/types.js';
import { members } from '../../../../formats/json.js';
import { type MemberMapping, TRANSLATED } from '../../../common/adapted.js';

/** Members of `generationConfig`, by the chat's names. */
const CONFIG: Readonly<Record<string, string>> = {
  frequency_penalty: 'frequencyPenalty',
  logprobs: 'responseLogprobs',
  max_completion_tokens: 'maxOutputTokens',
  max_tokens: 'maxOutputTokens',
  modalities: 'responseModalities',
  n: 'candidateCount',
  presence_penalty: 'presencePenalty',
  seed: 'seed',
  stop: 'stopSequences',
  temperature: 'temperature',
  top_k: 'topK',
  top_logprobs: 'logprobs',
  top_p: 'topP',
};

/** Gemini's own members, which are passed on in either spelling. */
const OWN: Readonly<Record<string, string>> = {
  cached_content: 'cachedContent',
  cachedContent: 'cachedContent',
  generation_config: 'generationConfig',
  generationConfig: 'generationConfig',
  labels: 'labels',
  safety_settings: 'safetySettings',
  safetySettings: 'safetySettings',
};

/** What a `generateContent` request has for each member of a chat. */
export const GEMINI_MAPPING: MemberMapping = {
  ...TRANSLATED,
  ...Object.fromEntries(
    Object.entries(CONFIG).map(([ours, theirs]) => [
      ours,
      ({ generationConfig }: JsonObject) => members(generationConfig)[theirs],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(OWN).map(([ours, theirs]) => [ours, (sent: JsonObject) => sent[theirs]]),
  ),
  // By a header; other words have been left out.
  service_tier: true,
  audio: ({ generationConfig }) => members(generationConfig).speechConfig,
};
