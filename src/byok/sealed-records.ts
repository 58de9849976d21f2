/** All sealed credentials of a store, whoever they belong to. */
import { CredentialUnreadable, type SealContext, type Sealed, type Vault } from './vault.js';

/** The two kinds of stored credentials. */
export const SEALED_KINDS = ['key', 'shared'] as const;
export type SealedKind = (typeof SEALED_KINDS)[number];

/** A sealed credential of either kind. */
export interface SealedRecord {
  readonly context: SealContext;
  readonly sealed: Sealed;
}

/** Up to `count` records in the order of their ids, from the one after `after` on. */
export interface SealedPage {
  readonly after: string;
  readonly count: number;
}

/** Reads sealed credentials of all accounts. */
export interface SealedReader {
  sealedRecords(kind: SealedKind, page: SealedPage): Promise<SealedRecord[]>;
}

/** A stored credential that can't be opened. */
export interface UnreadableRecord {
  readonly kind: SealedKind;
  /** The id of the BYOK key, or the provider's slug. */
  readonly id: string;
  readonly reason: CredentialUnreadable['reason'];
}

const PAGE = 100;

/** Opens every stored credential with the vault, and tells which ones it can't. */
export async function* unreadableRecords(
  reader: SealedReader,
  vault: Vault,
): AsyncGenerator<UnreadableRecord> {
  for (const kind of SEALED_KINDS) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const records: SealedRecord[] = await reader.sealedRecords(kind, { after, count: PAGE });
      for (const { sealed, context } of records) {
        const reason = faultOf(vault, sealed, context);
        if (reason !== undefined) yield { kind, id: context.id, reason };
      }
      after = records.at(-1)?.context.id;
    }
  }
}

function faultOf(vault: Vault, sealed: Sealed, context: SealContext): UnreadableRecord['reason'] | undefined {
  try {
    vault.open(sealed, context);
    return undefined;
  } catch (error) {
    if (error instanceof CredentialUnreadable) return error.reason;
    throw error;
  }
}
