import type { JsonObject } from '../../formats/json.js';
import { RequestModes } from '../../formats/modes/request-modes.js';
import { estimatePromptTokens, type NativePrompt } from '../estimate/prompt-tokens.js';
import { separatePrompts } from '../estimate/separate-prompts.js';
import { usedParameters } from '../estimate/used-parameters.js';

/** What planning needs to know about a request, whichever API it came by. */
export interface RouteFacts {
  /** The names in the request; null = not given. */
  readonly model: string | null;
  readonly models: readonly string[] | null;
  /** The parameters that it uses, in the catalogue's spelling. */
  usedParameters(): readonly string[];
  /** The low estimate of its prompt's tokens, so that no endpoint is excluded that the prompt may fit. */
  promptTokensLow(): number;
  /** The completion tokens that an endpoint has to allow; null = any number. */
  readonly maxTokens: number | null;
  /** In which mode it asks to be served. */
  readonly modes: RequestModes;
}

/** The facts of a request that is a chat, or is read as one. */
export class ChatRouteFacts implements RouteFacts {
  readonly model: string | null;
  readonly models: readonly string[] | null;
  readonly modes: RequestModes;
  readonly #body: JsonObject;
  readonly #native: NativePrompt | undefined;

  /** `native`: what it was sent as, if not as a chat. */
  constructor(
    body: JsonObject,
    { model, models }: Pick<RouteFacts, 'model' | 'models'>,
    native?: NativePrompt,
  ) {
    this.model = model;
    this.models = models;
    this.#body = body;
    this.#native = native;
    this.modes = new RequestModes(body, native);
  }

  usedParameters(): readonly string[] {
    return usedParameters(this.#body);
  }

  promptTokensLow(): number {
    return separatePrompts(this.#native)?.low ?? estimatePromptTokens(this.#body).low;
  }

  /**
   * null for other formats: their clients ask for as much as their own models can write, and attempts get what their
   * endpoint can.
   */
  get maxTokens(): number | null {
    const maxTokens = this.#body.max_completion_tokens ?? this.#body.max_tokens;
    return this.#native === undefined && typeof maxTokens === 'number' ? maxTokens : null;
  }
}
