import type { REASONING_EFFORTS } from '../catalog/enums.js';

/** How hard a model is to think, in the gateway's words, whatever the provider's are. */
export type Effort = Exclude<(typeof REASONING_EFFORTS)[number], 'none'>;

/** What a request comes to for the model of one attempt (spec 2.1, ModelReasoning). */
export interface Reasoning {
  readonly isEnabled: boolean;
  /** null where the request names none: the provider's own default holds. */
  readonly effort: Effort | null;
  /** Reasoning tokens at most; null = no bound of its own. */
  readonly maxTokens: number | null;
}
