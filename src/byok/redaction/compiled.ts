/** A bound for what is made of secrets to find them by, over all credentials. */

/** Characters of spellings: those of some 10,000 API keys, in 90 MiB, or of 230 service accounts, in 55 MiB. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** What gives its memory back when it is told to. */
interface Compiled {
  drop(): void;
}

/** The oldest first. They are not kept from going when their credential does. */
const made: { readonly compiled: WeakRef<Compiled>; readonly characters: number }[] = [];
let held = 0;

/** Notes what has been made, of so many characters; what was made longest ago makes room for it. */
export function makeRoom(compiled: Compiled, characters: number): void {
  made.push({ compiled: new WeakRef(compiled), characters });
  held += characters;
  while (held > MAX_CHARACTERS && made.length > 1) {
    const oldest = made.shift();
    held -= oldest?.characters ?? 0;
    oldest?.compiled.deref()?.drop();
  }
}
