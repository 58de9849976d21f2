import type { ServedFormat } from '../../catalog/types.js';
import type { JsonObject } from '../../formats/json.js';
import { estimatePromptTokens } from '../estimate/prompt-tokens.js';
import { usedParameters } from '../estimate/used-parameters.js';

/** What a plan needs to know of a request, whichever API it came by. */
export interface RouteFacts {
  /** As it names them; null = not given. */
  readonly model: string | null;
  readonly models: readonly string[] | null;
  /** Parameters that it uses, in the catalogue's spelling. */
  usedParameters(): readonly string[];
  /** The tokens of its prompt: the low estimate, so that nothing is excluded that may fit. */
  promptTokensLow(): number;
  /** The maximum of completion tokens that an endpoint has to allow; null = none. */
  readonly maxTokens: number | null;
}

/** Of a request that is a chat, or is read as one. */
export class ChatRouteFacts implements RouteFacts {
  readonly model: string | null;
  readonly models: readonly string[] | null;
  readonly #body: JsonObject;
  readonly #format: ServedFormat;

  /** `format`: that of the request. */
  constructor(
    body: JsonObject,
    { model, models }: Pick<RouteFacts, 'model' | 'models'>,
    format: ServedFormat = 'chat',
  ) {
    this.model = model;
    this.models = models;
    this.#body = body;
    this.#format = format;
  }

  usedParameters(): readonly string[] {
    return usedParameters(this.#body);
  }

  promptTokensLow(): number {
    return estimatePromptTokens(this.#body).low;
  }

  /** Clients of other formats ask for as much as their own models can say; attempts get what their endpoint can. */
  get maxTokens(): number | null {
    const maxTokens = this.#body.max_completion_tokens ?? this.#body.max_tokens;
    return this.#format === 'chat' && typeof maxTokens === 'number' ? maxTokens : null;
  }
}
