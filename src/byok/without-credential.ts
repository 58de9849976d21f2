import type { Credential } from './credential.js';
import { REDACTED } from './redact.js';

/** Shorter texts are no secrets, and cutting them out would leave nothing readable. */
const MIN_CHARACTERS = 4;

/** As much of a secret as providers leave when they mask it, such as `sk-pr***xyz`. */
const LEFT_CHARACTERS = 3;

/**
 * What a provider said, without any part of the credential: what is secret, what identifies its owner, and words in
 * which the provider masked a part of it (interface section 2).
 */
export function withoutCredential(text: string, credential: Credential): string {
  const parts = partsOf(credential).filter(({ length }) => length >= MIN_CHARACTERS);
  const whole = parts.reduce((rest, part) => rest.replaceAll(part, REDACTED), text);
  return whole.replace(/\S+/g, (word) =>
    MASK.test(word) && parts.some((part) => isLeftOf(word, part)) ? REDACTED : word,
  );
}

const MASK = /\*\*|\.\.\.|…/;

function isLeftOf(word: string, part: string): boolean {
  return word.includes(part.slice(0, LEFT_CHARACTERS)) || word.includes(part.slice(-LEFT_CHARACTERS));
}

/** The longest first: one may hold another. */
function partsOf(credential: Credential): string[] {
  return textsOf(credential).sort((a, b) => b.length - a.length);
}

function textsOf(credential: Credential): string[] {
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
