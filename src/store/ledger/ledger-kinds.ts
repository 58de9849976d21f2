import type { EntryKind } from '../../ledger/settlement.js';

/** What is charged to credits (interface section 5). */
export const CREDIT_KINDS = ['credit_spend', 'byok_fee'] as const satisfies readonly EntryKind[];

/** The list-price cost of usage over BYOK keys. */
export const BYOK_KIND = 'byok_cost' satisfies EntryKind;
