/** All sealed credentials of a store, whoever they belong to. */
import { setImmediate } from 'node:timers/promises';
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
  /** Up to `count` records of either kind, those that were stored last first. */
  newestSealed(count: number): Promise<(SealedRecord & { readonly kind: SealedKind })[]>;
}

/** A stored credential that can't be opened. */
export interface UnreadableRecord {
  readonly kind: SealedKind;
  /** The id of the BYOK key, or the provider's slug. */
  readonly id: string;
  readonly reason: CredentialUnreadable['reason'];
}

const PAGE = 100;

/** Opens every stored credential with the vault, and tells which ones it can't. Others have their turn in between. */
export async function* unreadableRecords(
  reader: SealedReader,
  vault: Vault,
  signal?: AbortSignal,
): AsyncGenerator<UnreadableRecord> {
  for (const kind of SEALED_KINDS) {
    let after: string | undefined = '';
    while (after !== undefined && !signal?.aborted) {
      const records: SealedRecord[] = await reader.sealedRecords(kind, { after, count: PAGE });
      await setImmediate();
      for (const { sealed, context } of records) {
        const reason = unreadableReason(vault, sealed, context);
        if (reason !== undefined) yield { kind, id: context.id, reason };
      }
      after = records.at(-1)?.context.id;
    }
  }
}

/** Why the vault can't open the credential; undefined when it can. */
export function unreadableReason(
  vault: Vault,
  sealed: Sealed,
  context: SealContext,
): UnreadableRecord['reason'] | undefined {
  try {
    vault.open(sealed, context);
    return undefined;
  } catch (error) {
    if (error instanceof CredentialUnreadable) return error.reason;
    throw error;
  }
}
