/** How large a request can become, whichever endpoint serves it: what its reservation is computed from. */
import type { Format } from '../../catalog/types.js';
import { MAX_CHOICES, type OwnSize, ownSizeOf } from '../../formats/answer-size.js';
import { type HostWork, hostWorkOf } from '../../formats/host-work.js';
import { elements, type JsonObject, members } from '../../formats/json.js';
import { countMedia, estimatePromptTokens, type NativePrompt, nativePrompt } from './prompt-tokens.js';

/** What is known of a request before any endpoint is. */
export interface RequestSize {
  /** The high estimate. */
  readonly promptTokens: number;
  /** The low estimate, so that planning excludes no endpoint that the prompt fits. */
  readonly promptTokensLow: number;
  readonly images: number;
  /** Whether the prompt contains audio, or audio is requested. */
  readonly hasAudio: boolean;
  /** Whether something is in the prompt whose tokens do not follow from its bytes. */
  readonly hasFiles: boolean;
  /** Per answer; null = not given. */
  readonly maxTokens: number | null;
  /** What members of other APIs say beside it. */
  readonly own: OwnSize;
  readonly answers: number;
  /** Of a predicted answer: tokens that are not taken over are charged beside those of the answer. */
  readonly predictedTokens: number;
  /** What the host is asked to do by itself. */
  readonly work: readonly HostWork[];
  /** The format that it was sent in where that is no chat. */
  readonly format: Format | null;
  readonly isStreamed: boolean;
}

/** How a request was sent, where it was not a chat in one piece. */
export interface SentAs {
  /** The request as endpoints that speak its format get it. */
  readonly native?: NativePrompt;
  readonly isStreamed?: boolean;
}

/** Measures a request in the chat format. */
export function requestSize(body: JsonObject, { native, isStreamed = false }: SentAs = {}): RequestSize {
  const { images, audio, files } = countMedia(body);
  const { high, low } = estimatePromptTokens(body);
  const sent = native?.body ?? body;
  const prompt = native === undefined ? { high, hasFiles: false } : nativePrompt(native);
  const own = ownSizeOf(sent);
  return {
    promptTokens: Math.max(high, prompt.high),
    promptTokensLow: low,
    images,
    hasAudio: audio > 0 || body.audio !== undefined || wantsAudio(body),
    hasFiles: files > 0 || prompt.hasFiles || STORED_PROMPTS.some((name) => isGiven(sent[name])),
    maxTokens: largest(body.max_tokens, body.max_completion_tokens),
    own,
    answers: Math.max(answersOf(body.n), own.answers),
    predictedTokens: body.prediction ? estimatePromptTokens({ prediction: body.prediction }).high : 0,
    work: hostWorkOf(sent),
    format: native?.format ?? null,
    isStreamed,
  };
}

/** Members that bring prompts which are not in the request, or make a longer one of what is. */
const STORED_PROMPTS = [
  'cached_content',
  'cachedContent',
  'chat_template',
  'conversation',
  'previous_response_id',
  'prompt',
] as const;

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** OpenAI's `modalities`, and Google's in its own configuration. */
function wantsAudio({ modalities, generationConfig, generation_config }: JsonObject): boolean {
  if (modalities === undefined && generationConfig === undefined && generation_config === undefined) {
    return false;
  }
  const own = [generationConfig, generation_config].map(members);
  const wanted = [
    modalities,
    ...own.flatMap(({ responseModalities, response_modalities }) => [
      responseModalities,
      response_modalities,
    ]),
  ];
  return wanted.flatMap(elements).some((modality) => String(modality).toLowerCase() === 'audio');
}

/** A provider honours one of the two members and may ignore the other, so the larger one counts. */
function largest(...values: readonly unknown[]): number | null {
  const given = values.filter((value) => typeof value === 'number');
  return given.length === 0 ? null : Math.max(...given);
}

/** What is no count is refused where requests come in; here it counts as one. */
function answersOf(n: unknown): number {
  return typeof n === 'number' ? Math.min(Math.max(1, Math.ceil(n)), MAX_CHOICES) : 1;
}
