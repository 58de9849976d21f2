/** A stored provider credential and the rules of its use (spec 2.3, 4.5). The credential itself never appears here. */

/** Prioritized keys are tried before shared capacity, Fallback keys after it (spec 4.5.1). */
export type Section = 'prioritized' | 'fallback';

/** null = no restriction; an empty list matches nothing. */
export type Filter = readonly string[] | null;

/** The record of a key, without its credential (spec 4.3). */
export interface ByokKey {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** Provider slug. */
  readonly provider: string;
  /** Masked form of the credential; never more than its first and last three characters. */
  readonly label: string;
  readonly name: string | null;
  readonly disabled: boolean;
  readonly isFallback: boolean;
  /** The "always use for this provider" toggle of spec 4.5.3. */
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
}

/** Which section the key stands in. */
export function sectionOf(key: Pick<ByokKey, 'isFallback'>): Section {
  return key.isFallback ? 'fallback' : 'prioritized';
}
