import { CONCEALED } from '../../byok/conceal.js';
import type { VertexCredential } from '../../byok/google-vertex.js';

/** Cuts secrets out of what a provider says. */
export type Concealing = (text: string) => string;

/** Cuts out what a credential says of its owner, and the tokens that were made with it. */
export function concealing(
  { clientEmail, privateKeyId, projectId }: VertexCredential,
  ...tokens: readonly string[]
): Concealing {
  const secrets = [...tokens, clientEmail, privateKeyId, projectId];
  return (text) => secrets.reduce((said, secret) => said.replaceAll(secret, CONCEALED), text);
}
