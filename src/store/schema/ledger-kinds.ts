import type { EntryKind, UnbilledKind } from '../../ledger/settlement.js';

export const ENTRY_KINDS: readonly EntryKind[] = [
  'credit_spend',
  'byok_cost',
  'byok_fee',
  'top_up',
  'unbilled_spend',
  'unbilled_byok_cost',
];

/** Entries of the list-price cost of BYOK usage, as far as it counts into the free allowance. */
export const BYOK_KIND = 'byok_cost' satisfies EntryKind;

/** Entries of all of the list-price cost of BYOK usage. */
export const BYOK_KINDS: readonly EntryKind[] = [BYOK_KIND, 'unbilled_byok_cost' satisfies EntryKind];

export function isUnbilled(kind: EntryKind): kind is UnbilledKind {
  return kind === 'unbilled_spend' || kind === 'unbilled_byok_cost';
}

/** Append-only. */
export interface LedgerEntryTable {
  id: string;
  account_id: string;
  workspace_id: string;
  api_key_hash: string | null;
  user_id: string | null;
  byok_key_id: string | null;
  generation_id: string | null;
  kind: EntryKind;
  amount_nano_usd: bigint;
  created_at: number;
  run_id: string | null;
  end_user: string | null;
}

/** The operator's note on a top-up. It is kept apart from the entries, since every request writes some of those. */
export interface TopUpNoteTable {
  entry_id: string;
  note: string;
}
