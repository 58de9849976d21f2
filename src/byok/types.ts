/** Stored provider credentials and the rules of their use, without the credentials themselves. */

/** Prioritized keys are tried before shared capacity, fallback keys after it. */
export type Section = 'prioritized' | 'fallback';

/** null = no restriction; an empty list matches nothing. */
export type Filter = readonly string[] | null;

/** Stable: clients may depend on them. */
export type RefusalReason = 'credential_refused' | 'quota_exhausted';

/** The provider's last refusal of a key, which no answer has followed. */
export interface KeyRefusal {
  readonly reason: RefusalReason;
  /** HTTP status of the provider's answer; null where it gave none. */
  readonly status: number | null;
  /** Unix milliseconds. */
  readonly at: number;
}

export interface ByokKey {
  readonly id: string;
  readonly accountId: string;
  /** The workspace that owns the key: there it has its position, and there it is changed. */
  readonly workspaceId: string;
  /** Further workspaces that may use it, or `*` alone for all; null = none. */
  readonly workspaceIds: readonly string[] | null;
  /** Provider slug. */
  readonly provider: string;
  /** Masked form of the credential; never more than its first and last three characters. */
  readonly label: string;
  readonly name: string | null;
  readonly disabled: boolean;
  readonly isFallback: boolean;
  /** "Always use for this provider": shared endpoints of the provider are removed where the key applies. */
  readonly isRequired: boolean;
  /** Shared endpoints of the provider are removed for every model. */
  readonly isByokOnly: boolean;
  /** false = never used for zero-data-retention requests; null = the endpoint's policy decides. */
  readonly declaredZdr: false | null;
  /** As sent; resolved to model ids when compared. */
  readonly allowedModels: Filter;
  readonly allowedApiKeyHashes: Filter;
  readonly allowedUserIds: Filter;
  /** Position within the section of its provider and workspace, 0..n-1 without gaps. */
  readonly sortOrder: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Absent where none is known. */
  readonly refusal?: KeyRefusal | null;
}

export function sectionOf(key: Pick<ByokKey, 'isFallback'>): Section {
  return key.isFallback ? 'fallback' : 'prioritized';
}
