/** A credential sealed by the vault, see `docs/credentials.md#the-vault`. */
export interface SealedColumns {
  ciphertext: Buffer;
  wrapped_data_key: Buffer;
  master_key_id: string;
}
