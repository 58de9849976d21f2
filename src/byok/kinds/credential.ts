import type { AdapterName } from '../../catalog/types.js';
import { type BedrockCredential, parseBedrock } from './amazon-bedrock.js';
import { type AnthropicCredential, parseAnthropic } from './anthropic.js';
import { type AzureCredential, parseAzure } from './azure.js';
import { type DemoCredential, parseDemo } from './demo.js';
import { parseVertex, type VertexCredential } from './google-vertex.js';
import { keyViolation, type Parsed, type RuleViolation } from './json-reader.js';
import { type OpenAiCredential, parseOpenAi } from './openai.js';

export type { Parsed } from './json-reader.js';

/** A provider credential as its adapter uses it. Its members are readable by name and never printed. */
export type Credential =
  | OpenAiCredential
  | AnthropicCredential
  | DemoCredential
  | AzureCredential
  | BedrockCredential
  | VertexCredential;

/** The operator's rules for URLs in credentials. */
export interface CredentialRules {
  /** Lets credentials name http URLs and private hosts (`BYWAY_ALLOW_PRIVATE_UPSTREAMS`). */
  readonly allowPrivateUpstreams: boolean;
}

/** Limit of a credential in bytes of UTF-8; a service account has about 2.5 KiB. */
export const MAX_CREDENTIAL_BYTES = 64 * 1024;

/**
 * Reads the text that a caller stores as a credential, by the adapter of its provider:
 * `docs/credentials.md#formats-by-provider`. All violations are reported at once, below the field `key`; no message
 * repeats any of the text. Throws nothing.
 */
export function parseCredential(
  adapter: AdapterName,
  text: string,
  rules: CredentialRules,
): Parsed<Credential> {
  const violation = credentialTextViolation(text);
  if (violation !== undefined) return keyViolation(violation);
  switch (adapter) {
    case 'openai':
      return parseOpenAi(text);
    case 'anthropic':
      return parseAnthropic(text);
    case 'demo':
      return parseDemo(text);
    case 'azure':
      return parseAzure(text, rules.allowPrivateUpstreams);
    case 'amazon-bedrock':
      return parseBedrock(text);
    case 'google-vertex':
      return parseVertex(text, rules.allowPrivateUpstreams);
  }
}

/** The violation of the rules for every credential, whatever its provider. */
export function credentialTextViolation(text: string): RuleViolation | undefined {
  if (text === '') return { rule: 'required', message: 'must not be empty' };
  if (Buffer.byteLength(text, 'utf8') <= MAX_CREDENTIAL_BYTES) return undefined;
  return { rule: 'max_bytes', message: `must be at most ${MAX_CREDENTIAL_BYTES} bytes` };
}
