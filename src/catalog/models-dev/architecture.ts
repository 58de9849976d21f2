import { INPUT_MODALITIES, modalityOf, OUTPUT_MODALITIES } from '../enums.js';
import type { Architecture } from '../types.js';
import type { DevModel } from './document.js';

/** Tokenizer families by id; the first match counts, else `Other`. */
const TOKENIZERS: readonly (readonly [RegExp, string])[] = [
  [/^microsoft\/model-router$/, 'Router'],
  [/^openai\//, 'GPT'],
  [/^anthropic\//, 'Claude'],
  [/^google\/gemma/, 'Gemma'],
  [/^google\//, 'Gemini'],
  [/^x-ai\//, 'Grok'],
  [/^cohere\//, 'Cohere'],
  [/^amazon\/nova/, 'Nova'],
  [/^qwen\/qwen3/, 'Qwen3'],
  [/^qwen\//, 'Qwen'],
  [/^deepseek\/deepseek-r1-.*llama/, 'Llama3'],
  [/^deepseek\/deepseek-r1-.*qwen3/, 'Qwen3'],
  [/^deepseek\/deepseek-r1-.*qwen/, 'Qwen'],
  [/^deepseek\//, 'DeepSeek'],
  [/^mistralai\//, 'Mistral'],
  [/^[^/]+\/llama-3/, 'Llama3'],
  [/^[^/]+\/llama-4/, 'Llama4'],
];

/** A pdf counts as a file. What the file does not tell is derived from the model's name. */
export function convertArchitecture(id: string, model: DevModel): Architecture {
  const input = model.input.map((word) => (word === 'pdf' ? 'file' : word));
  const inputModalities = INPUT_MODALITIES.filter((word) => input.includes(word));
  const outputModalities = outputOf(id, model);
  return {
    modality: modalityOf(inputModalities, outputModalities),
    inputModalities,
    outputModalities,
    instructType: undefined,
    tokenizer: TOKENIZERS.find(([pattern]) => pattern.test(id))?.[1] ?? 'Other',
  };
}

/** models.dev lists embeddings and transcripts as text, and speech as audio. */
function outputOf(id: string, { input, output }: DevModel): readonly string[] {
  if (/embed/.test(id)) return ['embeddings'];
  if (/rerank/.test(id)) return ['rerank'];
  if (/whisper|-asr-/.test(id) || (!input.includes('text') && input.includes('audio')))
    return ['transcription'];
  if (output.length === 1 && output[0] === 'audio') return ['speech'];
  return OUTPUT_MODALITIES.filter((word) => output.includes(word));
}
