import type { RefusalReason } from '../../byok/types.js';

/** The mark of a BYOK key that its provider refuses; all null = none. */
export interface RefusalColumns {
  refusal_reason: RefusalReason | null;
  refusal_status: number | null;
  refused_at: number | null;
}
