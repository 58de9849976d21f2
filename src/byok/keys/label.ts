import type { Credential } from '../kinds/credential.js';

/** Six characters of a shorter secret would reveal too much of it. */
const MIN_MASKABLE_CHARACTERS = 16;

/**
 * The masked form of a credential: the first and last three characters of its secret part, such as `abc...xyz`, or just
 * `...` when that part is shorter than 16 characters.
 */
export function labelOf(credential: Credential): string {
  const characters = Array.from(secretPart(credential));
  if (characters.length < MIN_MASKABLE_CHARACTERS) return '...';
  return `${characters.slice(0, 3).join('')}...${characters.slice(-3).join('')}`;
}

function secretPart(credential: Credential): string {
  switch (credential.adapter) {
    case 'openai':
    case 'anthropic':
    case 'demo':
      return credential.apiKey;
    case 'azure':
      return credential.entries[0].apiKey;
    case 'amazon-bedrock':
      return credential.kind === 'api_key' ? credential.apiKey : credential.accessKeyId;
    case 'google-vertex':
      return credential.clientEmail;
  }
}
