import { CONCEALED } from '../../byok/conceal.js';
import type { VertexCredential } from '../../byok/google-vertex.js';

/** Cuts secrets out of what a provider says. */
export type Concealing = (text: string) => string;

/** What tokens are written in, as long as it goes on. */
const WORDS = /[\w.-]+/g;

/** Access tokens of Google's, also those of requests before, and the assertions that they are given for. */
function isToken(word: string): boolean {
  return word.includes('ya29.') || (word.includes('eyJ') && word.split('.', 3).length === 3);
}

/** Cuts out what a credential says of its owner, and whatever is made with it. */
export function concealing(
  { clientEmail, privateKeyId, projectId }: VertexCredential,
  ...tokens: readonly string[]
): Concealing {
  const secrets = [...tokens, clientEmail, privateKeyId, projectId];
  return (text) =>
    secrets
      .reduce((said, secret) => said.replaceAll(secret, CONCEALED), text)
      .replaceAll(WORDS, (word) => (isToken(word) ? CONCEALED : word));
}
