import type { Sealed } from '../../byok/vault/vault.js';

/** A credential sealed by the vault, see `docs/credentials.md#the-vault`. */
export interface SealedColumns {
  ciphertext: Buffer;
  wrapped_data_key: Buffer;
  master_key_id: string;
}

export function toSealed(row: SealedColumns): Sealed {
  return { ciphertext: row.ciphertext, wrappedDataKey: row.wrapped_data_key, masterKeyId: row.master_key_id };
}

export function toSealedColumns(sealed: Sealed): SealedColumns {
  return {
    ciphertext: sealed.ciphertext,
    wrapped_data_key: sealed.wrappedDataKey,
    master_key_id: sealed.masterKeyId,
  };
}
