/** Secrets as providers may spell them, and what of them is found in a text. */
import type { Planted } from './planted.js';

/** Outside content, this many consecutive characters of a secret count as a leak. */
export const PIECE = 16;

/** Encodings of a secret. */
const SPELLINGS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  (secret) => secret.replaceAll(/[+/=]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  (secret) => btoa(secret),
  (secret) => btoa(`:${secret}:`),
  (secret) => btoa(`key ${secret}\n`),
  (secret) => Buffer.from(`a=${secret}`).toString('base64url'),
  (secret) => Buffer.from(secret).toString('hex'),
  (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  (secret) => encodeURIComponent(secret),
  (secret) => encodeURIComponent(secret).replaceAll(/%../g, (one) => one.toLowerCase()),
];

/** The planted texts by name. */
export const SPELLED: Readonly<Record<string, (secrets: readonly string[]) => Planted>> = {
  'in every spelling': (secrets) => {
    const text = secrets.flatMap((secret) => SPELLINGS.map((spell) => spell(secret))).join(' ');
    return { content: text, member: text };
  },
  'in pieces': (secrets) => ({
    content: 'nothing',
    member: secrets.map((secret) => secret.slice(3, 3 + PIECE)).join(' ~ '),
  }),
  'in pieces of base64': (secrets) => ({
    content: 'nothing',
    member: secrets.map((secret) => btoa(`x${secret}`).slice(6, 6 + PIECE)).join(' ~ '),
  }),
};

/** The secrets of which a part is in the text, in any encoding. */
export function leaksOf(secrets: readonly string[], text: string): string[] {
  const runs = new Set<string>();
  for (let at = 0; at + PIECE <= text.length; at += 1) runs.add(text.slice(at, at + PIECE));
  return secrets.filter((secret) =>
    SPELLINGS.map((spell) => spell(secret)).some((spelled) => {
      for (let at = 0; at + PIECE <= spelled.length; at += 1) {
        if (runs.has(spelled.slice(at, at + PIECE))) return true;
      }
      return false;
    }),
  );
}
