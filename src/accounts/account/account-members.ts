import type { Listed, Page } from '../page.js';

/** A user of the account. User identifiers are the operator's own and registered nowhere. */
export interface AccountMember {
  readonly userId: string;
  readonly isOwner: boolean;
}

export interface AccountMemberStore {
  /**
   * The owner, then by user identifier whoever is a member of a workspace, has a guardrail of their own, or is the member of a
   * key that is not deleted and not of a client application.
   */
  listAccountMembers(accountId: string, page: Page): Promise<Listed<AccountMember>>;
}
