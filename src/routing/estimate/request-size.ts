/** How large a request can become, whichever endpoint serves it. Its reservation is computed from this. */
import { once } from '../../base/memory/once.js';
import type { Format } from '../../catalog/types.js';
import { MAX_CHOICES, type OwnSize, ownSizeOf } from '../../formats/answer-size.js';
import type { HostWork } from '../../formats/host-work.js';
import { elements, type JsonObject, members } from '../../formats/json.js';
import { RequestModes } from '../../formats/modes/request-modes.js';
import { workIn } from '../../formats/shared-capacity/work.js';
import type { CacheWrites } from '../../ledger/pricing/price.js';
import { cacheControlIn } from './cache-control.js';
import { countMedia } from './media-parts.js';
import type { PromptImage } from './prompt-images.js';
import { CONVERSATION, estimatePromptTokens, type NativePrompt, nativePrompt } from './prompt-tokens.js';
import { separatePrompts } from './separate-prompts.js';

/** What is known about a request before an endpoint is chosen. */
export interface RequestSize {
  /** The high estimate, where nothing is known of the model. See `promptTokensAt`. */
  readonly promptTokens: number;
  /** The images that it counts, in each form in which the request may be sent. */
  readonly promptImages: readonly (readonly PromptImage[])[];
  /** How many prompts it has, each of which is answered by itself and has to fit the context: 1 but for embeddings and reranking. */
  readonly prompts: number;
  /** The most search units of a reranking; 0 of any other request. */
  readonly searchUnits: number;
  /** The low estimate, so that planning does not exclude endpoints that the prompt fits. */
  readonly promptTokensLow: number;
  readonly images: number;
  /** Whether the prompt contains audio, or audio is requested. */
  readonly hasAudio: boolean;
  /** Whether the prompt has documents, other files or videos. */
  readonly hasFiles: boolean;
  /** Whether the tokens of a part do not follow from its bytes, so that it is assumed to fill the context. */
  readonly fillsContext: boolean;
  /** Whether a part of the prompt is at the host. */
  readonly hasStoredPrompt: boolean;
  /** The cache writes that the request asks for by marks. */
  cacheWrites(): CacheWrites;
  /** Per answer; null = none given. */
  readonly maxTokens: number | null;
  /** What members of other APIs say in addition. */
  readonly own: OwnSize;
  readonly answers: number;
  /** Tokens of a predicted answer. Those that are not used are charged in addition to the answer's. */
  readonly predictedTokens: number;
  /** Work that a host may be asked to do on its own; of what it is asked for see `workAt`. */
  readonly work: readonly HostWork[];
  /** Of its work, what it is sent without: see `sizeWithinLimits`. */
  readonly leftOutWork?: readonly HostWork[];
  /** The request's format; null for a chat. */
  readonly format: Format | null;
  readonly isStreamed: boolean;
  /** In which mode it asks to be served. */
  readonly modes: RequestModes;
}

/** How a request was sent, if not as a chat in one piece. */
export interface SentAs {
  /** The request as endpoints that speak its format get it. */
  readonly native?: NativePrompt;
  readonly isStreamed?: boolean;
}

/** Measures a request in the chat format. */
export function requestSize(body: JsonObject, { native, isStreamed = false }: SentAs = {}): RequestSize {
  const { images, audio, files } = countMedia(body);
  const { high, low, images: promptImages } = estimatePromptTokens(body);
  const sent = native?.body ?? body;
  const separate = separatePrompts(native);
  const prompt =
    native === undefined || separate !== undefined
      ? { high, hasFiles: false, images: promptImages }
      : nativePrompt(native);
  const own = ownSizeOf(sent);
  const conversation = CONVERSATION[native?.format ?? 'chat'];
  const hasStoredPrompt = STORED_PROMPTS.some((name) => name !== conversation && isGiven(sent[name]));
  const hasFiles = files > 0 || prompt.hasFiles || hasStoredPrompt;
  return {
    promptTokens: separate?.high ?? Math.max(high, prompt.high),
    promptImages: native === undefined ? [promptImages] : [promptImages, prompt.images],
    prompts: separate?.count ?? 1,
    searchUnits: separate?.searchUnits.high ?? 0,
    promptTokensLow: separate?.low ?? low,
    images,
    hasAudio: audio > 0 || body.audio !== undefined || wantsAudio(body),
    hasFiles,
    fillsContext: hasFiles,
    hasStoredPrompt,
    cacheWrites: once(() => cacheControlIn(sent)),
    maxTokens: largest(body.max_tokens, body.max_completion_tokens),
    own,
    answers: Math.max(answersOf(body.n), own.answers),
    predictedTokens: body.prediction ? estimatePromptTokens({ prediction: body.prediction }).high : 0,
    work: workIn(native?.format ?? 'chat', sent),
    format: native?.format ?? null,
    isStreamed,
    modes: new RequestModes(body, native),
  };
}

/** Members that add prompts from elsewhere, or make the prompt longer than the request shows. */
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

/** Whether audio is requested, by OpenAI's `modalities` or the same member in Google's configuration. */
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

/** A provider uses one of the two members and may ignore the other, so the larger one counts. */
function largest(...values: readonly unknown[]): number | null {
  const given = values.filter((value) => typeof value === 'number');
  return given.length === 0 ? null : Math.max(...given);
}

/** An invalid number is refused where requests are received. Here it counts as one. */
function answersOf(n: unknown): number {
  return typeof n === 'number' ? Math.min(Math.max(1, Math.ceil(n)), MAX_CHOICES) : 1;
}
