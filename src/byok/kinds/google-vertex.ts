/** Google Vertex AI: the JSON key of a service account, with an optional region and bucket. */

import type { KeyObject } from 'node:crypto';
import { parseJson } from '../../formats/json.js';
import { hideMembers } from '../redact.js';
import { bucketName, bucketViolation } from './bucket-name.js';
import { callableUrl } from './credential-url.js';
import {
  keyViolation,
  optional,
  type Parsed,
  type RuleViolation,
  readObject,
  required,
  type TextCheck,
} from './json-reader.js';
import { MAX_MODULUS_BITS, readRsaKey } from './rsa-key.js';
import { anyText, emailAddress, oneOf, projectId, regionName, visibleAscii } from './text-checks.js';

/** A validated service account: its key can sign, its `tokenUri` may be called. */
export interface VertexCredential {
  readonly adapter: 'google-vertex';
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKeyId: string;
  /** RSA, ready to sign. */
  readonly privateKey: KeyObject;
  /** The key in base64 as it was sent, without PEM header and line breaks; used for redaction. */
  readonly privateKeyBody: string;
  readonly tokenUri: string;
  /** null = any available region. */
  readonly region: string | null;
  /** The bucket's bare name; null = Byway creates one per region. */
  readonly bucket: string | null;
}

/** The only `token_uri` unless `BYWAY_ALLOW_PRIVATE_UPSTREAMS` is set. */
const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';

/** Reads a service account; violations are named by member, such as `key.private_key`. */
export function parseVertex(text: string, allowPrivateUpstreams: boolean): Parsed<VertexCredential> {
  const value = parseJson(text);
  if (value === undefined)
    return keyViolation({ rule: 'json', message: 'must be the JSON key of a service account' });
  const read = readObject(value, 'key', {
    type: required(oneOf(['service_account'])),
    project_id: required(projectId),
    private_key_id: required(visibleAscii),
    private_key: required((pem) => (readRsaKey(unescaped(pem)) === undefined ? NOT_PEM : undefined)),
    client_email: required(emailAddress),
    client_id: optional(anyText),
    auth_uri: optional(anyText),
    token_uri: required(tokenUri(allowPrivateUpstreams)),
    auth_provider_x509_cert_url: optional(anyText),
    client_x509_cert_url: optional(anyText),
    universe_domain: optional(oneOf(['googleapis.com'])),
    region: optional(regionName),
    bucket: optional(bucketViolation),
  });
  if (!('ok' in read)) return read;
  const privateKey = readRsaKey(unescaped(read.ok.private_key));
  if (privateKey === undefined) return { violations: [{ field: 'key.private_key', ...NOT_PEM }] };
  return {
    ok: hideMembers({
      adapter: 'google-vertex',
      projectId: read.ok.project_id,
      clientEmail: read.ok.client_email,
      privateKeyId: read.ok.private_key_id,
      privateKey,
      privateKeyBody: bodyOf(read.ok.private_key),
      tokenUri: read.ok.token_uri,
      region: read.ok.region === 'global' ? null : read.ok.region,
      bucket: read.ok.bucket === null ? null : bucketName(read.ok.bucket),
    }),
  };
}

function tokenUri(allowPrivateUpstreams: boolean): TextCheck {
  return allowPrivateUpstreams ? callableUrl(true) : oneOf([GOOGLE_TOKEN_URI]);
}

const NOT_PEM: RuleViolation = {
  rule: 'pem',
  message: `must be an RSA private key in PEM form, of at most ${MAX_MODULUS_BITS} bits`,
};

function bodyOf(pem: string): string {
  return unescaped(pem).replaceAll(/-----[^-]+-----|\s+/g, '');
}

/** Line breaks may have been escaped twice. */
function unescaped(pem: string): string {
  return pem.replaceAll('\\n', '\n');
}
