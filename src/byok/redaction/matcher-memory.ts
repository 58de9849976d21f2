/** Limits the memory of what matchers can drop. */

/** Limit of spellings: those of some 2,000 API keys, in 8 MiB, or of 29 service accounts, in 4 MiB. */
const MAX_CHARACTERS = 1024 * 1024;

interface Compiled {
  /** Releases its memory. */
  drop(): void;
}

/** Oldest first. Weak, since matchers live as long as their credentials. */
const tracked: { readonly compiled: WeakRef<Compiled>; readonly characters: number }[] = [];
let trackedCharacters = 0;

/** Counts a matcher's characters; above the limit the oldest matchers are dropped. */
export function trackMemory(compiled: Compiled, characters: number): void {
  tracked.push({ compiled: new WeakRef(compiled), characters });
  trackedCharacters += characters;
  while (trackedCharacters > MAX_CHARACTERS && tracked.length > 1) {
    const oldest = tracked.shift();
    trackedCharacters -= oldest?.characters ?? 0;
    oldest?.compiled.deref()?.drop();
  }
}
