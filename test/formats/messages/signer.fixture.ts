import { createHmac } from 'node:crypto';
import type { MarkSigner } from '../../../src/formats/marks.js';

/** Signs with the name of an account, which is enough for a test. */
export function signerOf(account: string): MarkSigner {
  return { signatureOf: (payload) => createHmac('sha256', account).update(payload).digest().subarray(0, 16) };
}

export const SIGNER = signerOf('a');
