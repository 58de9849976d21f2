/** Names of API keys, workspaces and BYOK keys in reports, which outlive what they name. */

export interface RecordName {
  /** Null for what was deleted by a version that kept no names. */
  readonly name: string | null;
  readonly isDeleted: boolean;
}

/** What a report refers to. */
export interface NamedRecords {
  readonly apiKeyHashes: Iterable<string>;
  readonly workspaceIds: Iterable<string>;
  readonly byokKeyIds: Iterable<string>;
}

/** The name of what has this hash or id. What the account no longer has is deleted. */
export type RecordNames = (id: string) => RecordName;

export interface RecordNameReader {
  /** The names of records of the account as they are now, or were last. */
  namesOf(accountId: string, records: NamedRecords): Promise<RecordNames>;
  /** Whether the account has the workspace, or has had it. */
  hadWorkspace(accountId: string, workspaceId: string): Promise<boolean>;
}
