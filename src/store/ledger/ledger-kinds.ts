import type { EntryKind } from '../../ledger/settlement.js';

export const ENTRY_KINDS: readonly EntryKind[] = ['credit_spend', 'byok_cost', 'byok_fee', 'top_up'];

/** Entries of the list-price cost of BYOK usage. */
export const BYOK_KIND = 'byok_cost' satisfies EntryKind;
