/** The sealed credentials of all accounts. */
import { setImmediate } from 'node:timers/promises';
import { CredentialUnreadable, type SealContext, type Sealed, type Vault } from './vault.js';

/** Credentials: nobody but their owner can replace them. */
export const CREDENTIAL_KINDS = ['key', 'shared', 'header'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** All that is sealed, the keys of accounts and cached answers too. */
export const SEALED_KINDS = [...CREDENTIAL_KINDS, 'mark', 'answer'] as const;
export type SealedKind = (typeof SEALED_KINDS)[number];

export interface SealedRecord {
  readonly context: SealContext;
  readonly sealed: Sealed;
}

/** Up to `count` records by id, after `after`. */
export interface SealedPage {
  readonly after: string;
  readonly count: number;
}

export interface SealedReader {
  sealedRecords(kind: CredentialKind, page: SealedPage): Promise<SealedRecord[]>;
  /** Up to `count` records of either kind, newest first. */
  newestSealed(count: number): Promise<(SealedRecord & { readonly kind: CredentialKind })[]>;
}

/** A stored credential that can't be opened. */
export interface UnreadableRecord {
  readonly kind: CredentialKind;
  /** The id of the BYOK key, the provider's slug, or that with the name of its header. */
  readonly id: string;
  readonly reason: CredentialUnreadable['reason'];
}

const PAGE = 100;

/** Opens every stored credential and yields those that can't be opened. Gives way to other work between pages. */
export async function* unreadableRecords(
  reader: SealedReader,
  vault: Vault,
  signal?: AbortSignal,
): AsyncGenerator<UnreadableRecord> {
  for (const kind of CREDENTIAL_KINDS) {
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
