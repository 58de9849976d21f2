import { CONCEALED } from '../../byok/conceal.js';
import type { VertexCredential } from '../../byok/google-vertex.js';

/** Cuts secrets out of what a provider says. */
export type Concealing = (text: string) => string;

/** Access tokens of Google's, also those of requests before, and the assertions that they are given for. */
const TOKENS = /\b(?:ya29\.[\w.-]+|eyJ[\w-]+\.[\w-]+\.[\w-]+)/g;

/** Cuts out what a credential says of its owner, and whatever is made with it. */
export function concealing(
  { clientEmail, privateKeyId, projectId }: VertexCredential,
  ...tokens: readonly string[]
): Concealing {
  const secrets = [...tokens, clientEmail, privateKeyId, projectId];
  return (text) =>
    secrets.reduce((said, secret) => said.replaceAll(secret, CONCEALED), text).replaceAll(TOKENS, CONCEALED);
}
