import type { EntryKind } from '../../ledger/settlement.js';

/** Entries of the list-price cost of BYOK usage. */
export const BYOK_KIND = 'byok_cost' satisfies EntryKind;
