/** Receipts of generations, and the port to the store of what they are made of. */
import type { NanoUsd } from '../../base/money.js';
import type { EntryKind } from '../../ledger/settlement.js';
import type { ReceiptLines } from '../../receipts/receipt.js';
import type { TermsContent } from '../../receipts/terms.js';
import type { Generation, GenerationScope } from './generation.js';

/** How the charge of a generation came about. */
export interface Receipt extends ReceiptLines {
  readonly generation: Generation;
  /** null = nothing was billed. */
  readonly terms: TermsContent | null;
  readonly listNanoUsd: NanoUsd;
  /** Of the month's BYOK allowance, before it; null on shared capacity and where nobody is billed. */
  readonly allowanceLeftNanoUsd: NanoUsd | null;
  /** Those that the ledger still keeps. */
  readonly ledgerEntries: readonly ReceiptEntry[];
}

export interface ReceiptEntry {
  readonly id: string;
  readonly kind: EntryKind;
  readonly amountNanoUsd: NanoUsd;
}

export interface ReceiptReader {
  /** undefined if the generation does not exist or is out of scope, null if it is from before receipts were kept. */
  find(id: string, scope: GenerationScope): Promise<Receipt | null | undefined>;
}
