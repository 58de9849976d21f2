import type { VertexCredential } from '../../byok/kinds/google-vertex.js';
import { REDACTED } from '../../byok/redact.js';

/** Cuts out of a message what is nobody's business. */
export type Redact = (text: string) => string;

/** What tokens are written in, as long as it goes on. */
const WORDS = /[\w.-]+/g;

/** Access tokens of Google's, also those of requests before, and the assertions that they are given for. */
function isToken(word: string): boolean {
  return word.includes('ya29.') || (word.includes('eyJ') && word.split('.', 3).length === 3);
}

/** Longer than what is kept of a message; a search for tokens in one without end would take its square. */
const MAX_MESSAGE_CHARACTERS = 4096;

/** Cuts out what a credential says of its owner, which is no secret, and whatever looks like a token. */
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
