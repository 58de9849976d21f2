import type { VertexCredential } from '../../byok/kinds/google-vertex.js';
import { REDACTED } from '../../byok/redact.js';

/** Redacts a message. */
export type Redact = (text: string) => string;

/** Runs of the characters that tokens consist of. */
const WORDS = /[\w.-]+/g;

/** Google's access tokens, of any request, and JWTs. */
function isToken(word: string): boolean {
  return word.includes('ya29.') || (word.includes('eyJ') && word.split('.', 3).length === 3);
}

/** More than is kept of a message. Searching for tokens takes time quadratic in its length. */
const MAX_MESSAGE_CHARACTERS = 4096;

/** Redacts the identity of the credential's owner, and whatever looks like a token. */
export function redactWith({ clientEmail, privateKeyId, projectId }: VertexCredential): Redact {
  const names = [clientEmail, privateKeyId, projectId];
  return (text) =>
    names
      .reduce(
        (redactedText, name) => redactedText.replaceAll(name, REDACTED),
        text.slice(0, MAX_MESSAGE_CHARACTERS),
      )
      .replaceAll(WORDS, (word) => (isToken(word) ? REDACTED : word));
}
