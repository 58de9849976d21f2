import type { AzureEntry } from '../kinds/azure.js';
import { NO_KEY } from '../kinds/bare-key.js';
import type { Credential } from '../kinds/credential.js';

/** A credential, or one entry of an Azure credential. */
export type CredentialOrEntry = Credential | AzureEntry;

export interface Secret {
  readonly text: string;
  /** How many characters are redacted in content: all of them, or a line of a long secret. */
  readonly minInContent: number;
}

/** A line of PEM has 64 characters; some tools use shorter lines. */
const MIN_OF_PRIVATE_KEY = 48;

/**
 * The secrets of a credential: a bare key; in JSON `api_key`, `accessKeyId` with `secretAccessKey`, and the body of
 * `private_key`. Names of projects, resources, regions and buckets are not secret: they may be ordinary words.
 */
export function secretsOf(credential: CredentialOrEntry): readonly Secret[] {
  if (!('adapter' in credential)) return [secret(credential.apiKey)];
  switch (credential.adapter) {
    case 'openai':
    case 'anthropic':
    case 'demo':
      return credential.apiKey === NO_KEY ? [] : [secret(credential.apiKey)];
    case 'azure':
      return credential.entries.map(({ apiKey }) => secret(apiKey));
    case 'amazon-bedrock':
      return credential.kind === 'api_key'
        ? [secret(credential.apiKey)]
        : [secret(credential.secretAccessKey), secret(credential.accessKeyId)];
    case 'google-vertex':
      return [{ text: credential.privateKeyBody, minInContent: MIN_OF_PRIVATE_KEY }];
  }
}

/** A secret that is redacted in content only as a whole. */
export function secret(text: string): Secret {
  return { text, minInContent: text.length };
}
