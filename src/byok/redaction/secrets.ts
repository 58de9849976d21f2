import type { Credential } from '../credential.js';
import type { AzureEntry } from '../kinds/azure.js';

/** A credential as adapters are given it: of platform A a single entry, or all of them. */
export type SecretHolder = Credential | AzureEntry;

/** A text that nobody but its owner and its provider may see. */
export interface Secret {
  readonly text: string;
  /** How much of it gives it away in the content of an answer: all of it, or some lines of a long one. */
  readonly minInContent: number;
}

/** A line of PEM has 64 characters, and some tools break it earlier. */
const MIN_OF_PRIVATE_KEY = 48;

/**
 * What of a credential is secret: a bare key; of JSON `api_key`, `accessKeyId` with `secretAccessKey`, and the body of
 * `private_key`. Names of projects, resources, regions and buckets are none: they may be ordinary words.
 */
export function secretsOf(credential: SecretHolder): readonly Secret[] {
  if (!('adapter' in credential)) return [secret(credential.apiKey)];
  switch (credential.adapter) {
    case 'openai':
    case 'anthropic':
    case 'demo':
      return [secret(credential.apiKey)];
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

/** A secret that only the whole of gives away in content. */
export function secret(text: string): Secret {
  return { text, minInContent: text.length };
}
