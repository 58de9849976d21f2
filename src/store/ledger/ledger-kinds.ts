import type { EntryKind } from '../../ledger/settlement.js';

/** Entries that are charged to credits. */
export const CREDIT_KINDS = ['credit_spend', 'byok_fee'] as const satisfies readonly EntryKind[];

/** Entries of the list-price cost of BYOK usage. */
export const BYOK_KIND = 'byok_cost' satisfies EntryKind;
