import type { MarkSigner } from '../formats/marks.js';

/** Signs and reads the marks of accounts. An account's key is looked up only where there are marks. */
export interface MarkSigners {
  /** undefined where the account's key can't be had now. Never rejects. */
  signerOf(accountId: string): Promise<MarkSigner | undefined>;
}
