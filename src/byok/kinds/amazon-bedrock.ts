/** Amazon Bedrock: a bare API key, tied to one region, or an access key with its region. */

import { parseJson } from '../../formats/json.js';
import { hideMembers } from '../redact.js';
import { parseBareKey } from './bare-key.js';
import { keyViolation, type Parsed, readObject, required, wrongType } from './json-reader.js';
import { regionName, visibleAscii } from './text-checks.js';

/** An API key, sent as a bearer token. */
export interface BedrockApiKey {
  readonly adapter: 'amazon-bedrock';
  readonly kind: 'api_key';
  readonly apiKey: string;
  /** The region in the key itself; null without one. */
  readonly region: string | null;
}

/** An access key, which signs every request. */
export interface BedrockAccessKey {
  readonly adapter: 'amazon-bedrock';
  readonly kind: 'access_key';
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export type BedrockCredential = BedrockApiKey | BedrockAccessKey;

/** Reads a bare API key, or the JSON object `accessKeyId`, `secretAccessKey`, `region`. */
export function parseBedrock(text: string): Parsed<BedrockCredential> {
  return /^\s*[{[]/.test(text) ? parseAccessKey(text) : parseApiKey(text);
}

function parseAccessKey(text: string): Parsed<BedrockAccessKey> {
  const value = parseJson(text);
  if (value === undefined)
    return keyViolation({ rule: 'json', message: 'must be a bare API key or a JSON object' });
  if (Array.isArray(value)) return keyViolation(wrongType(value, 'a bare API key or a JSON object'));
  const read = readObject(value, 'key', {
    accessKeyId: required(visibleAscii),
    secretAccessKey: required(visibleAscii),
    region: required(regionName),
  });
  if (!('ok' in read)) return read;
  return { ok: hideMembers({ adapter: 'amazon-bedrock', kind: 'access_key', ...read.ok }) };
}

function parseApiKey(text: string): Parsed<BedrockApiKey> {
  const read = parseBareKey('amazon-bedrock', text);
  if (!('ok' in read)) return read;
  const { adapter, apiKey } = read.ok;
  return { ok: hideMembers({ adapter, kind: 'api_key', apiKey, region: regionInside(apiKey) }) };
}

const SHORT_TERM_PREFIX = 'bedrock-api-key-';

/** A short-term key is a presigned URL in base64; the scope of its signature contains the region. */
function regionInside(apiKey: string): string | null {
  if (!apiKey.startsWith(SHORT_TERM_PREFIX)) return null;
  const url = Buffer.from(apiKey.slice(SHORT_TERM_PREFIX.length), 'base64').toString('utf8');
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const [, , region = ''] = (query.get('X-Amz-Credential') ?? '').split('/');
  return region !== '' && regionName(region) === undefined ? region : null;
}
