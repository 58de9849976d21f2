/** The management key is stored for this tab only and ends with it: never in a URL, a cookie or lasting storage. */
const NAME = 'byway.management-key';

/** The key that this tab is signed in with; null when it is not. */
export function storedKey(): string | null {
  return sessionStorage.getItem(NAME);
}

/** Stores the key for this tab; null removes it. */
export function storeKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, key);
}
