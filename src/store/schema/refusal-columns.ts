import type { RefusalReason } from '../../byok/types.js';

/** The refusal of a BYOK key by its provider; all null = none. */
export interface RefusalColumns {
  refusal_reason: RefusalReason | null;
  refusal_status: number | null;
  refused_at: number | null;
}
