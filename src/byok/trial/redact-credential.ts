import type { Credential } from '../kinds/credential.js';
import { REDACTED } from '../redact.js';

/** Redacting shorter texts would make the message unreadable. */
const MIN_CHARACTERS = 4;

/** How much of a secret providers show when they mask it, such as `sk-pr***xyz`. */
const VISIBLE_CHARACTERS = 3;

/**
 * Redacts a provider's message: the credential's secrets, what identifies its owner, and words in which the provider
 * masked a part of it.
 */
export function redactCredential(text: string, credential: Credential): string {
  const values = valuesOf(credential)
    .filter(({ length }) => length >= MIN_CHARACTERS)
    // A value may contain a shorter one.
    .sort((a, b) => b.length - a.length);
  const withoutValues = values.reduce((rest, value) => rest.replaceAll(value, REDACTED), text);
  return withoutValues.replace(/\S+/g, (word) =>
    MASK.test(word) && values.some((value) => isMasked(word, value)) ? REDACTED : word,
  );
}

const MASK = /\*\*|\.\.\.|…/;

function isMasked(word: string, value: string): boolean {
  return word.includes(value.slice(0, VISIBLE_CHARACTERS)) || word.includes(value.slice(-VISIBLE_CHARACTERS));
}

function valuesOf(credential: Credential): string[] {
  switch (credential.adapter) {
    case 'openai':
    case 'anthropic':
    case 'demo':
      return [credential.apiKey];
    case 'azure':
      return credential.entries.flatMap((entry) => [
        entry.apiKey,
        entry.kind === 'resource' ? entry.resourceName : entry.endpointUrl,
      ]);
    case 'amazon-bedrock':
      return credential.kind === 'api_key'
        ? [credential.apiKey]
        : [credential.accessKeyId, credential.secretAccessKey];
    case 'google-vertex':
      return [credential.clientEmail, credential.privateKeyId, credential.projectId];
  }
}
