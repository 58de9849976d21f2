/** The lock for everything that changes the money of an account. */
export function accountLock(accountId: string): string {
  return `account/${accountId}`;
}
