import type { EntryKind } from '../../ledger/settlement.js';

/** A table of which old rows are dropped; none where nothing ever was. */
export interface RetentionTable {
  dropped_table: 'generation' | 'ledger_entry';
  /** Unix milliseconds, the start of a UTC day: rows from before may be gone. Never moves back. */
  dropped_before: number;
  /** The lease of the process that drops rows, until `held_until` unless it prolongs that. */
  holder: string;
  held_until: number;
}

/** What dropped entries of the ledger came to, in all. */
export interface LedgerCarriedForwardTable {
  account_id: string;
  workspace_id: string;
  /** Empty for top-ups, as the user is. */
  api_key_hash: string;
  user_id: string;
  kind: EntryKind;
  amount_nano_usd: bigint;
}

/** What of it counts for a run or an end user: sums of the same entries, by their subject (`src/ledger/payer.ts`). */
export interface AttributionCarriedForwardTable {
  account_id: string;
  subject: string;
  kind: EntryKind;
  amount_nano_usd: bigint;
}
