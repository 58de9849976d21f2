/** TLS as libpq's `sslmode` has it (https://www.postgresql.org/docs/17/libpq-ssl.html). */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions, SecureVersion } from 'node:tls';
import { describeFileError } from '../../../../base/file-error.js';
import { isSocket, type PostgresHost, type PostgresUrl } from '../../../../base/postgres/url.js';
import { DatabaseUnusable } from '../../unavailable.js';

/** False = cleartext. */
export type Tls = ConnectionOptions | false;

/** The ways in which a host is tried, in order: the next one when the server refuses the one before it. */
export function tlsAttempts(url: PostgresUrl, { host: given, address = '' }: PostgresHost): readonly Tls[] {
  const host = given || address;
  if (host === '' || isSocket(host)) return [false];
  switch (url.sslMode ?? 'prefer') {
    case 'disable':
      return [false];
    case 'allow':
      return [false, encrypted(url, host)];
    case 'prefer':
      return [encrypted(url, host), false];
    default:
      return [encrypted(url, host)];
  }
}

/** What libpq takes where the URL names no authorities. */
const OWN_ROOTS = join(homedir(), '.postgresql', 'root.crt');

/** Throws DatabaseUnusable when a file can't be read. */
function encrypted({ sslMode, parameters }: PostgresUrl, host: string): ConnectionOptions {
  const named = parameters.get('sslrootcert');
  const root = named ?? (existsSync(OWN_ROOTS) ? OWN_ROOTS : undefined);
  const options: ConnectionOptions = {
    ...file('cert', parameters.get('sslcertmode') === 'disable' ? undefined : parameters.get('sslcert')),
    ...file('key', parameters.get('sslkey')),
    ...file('crl', parameters.get('sslcrl')),
    ...given('passphrase', parameters.get('sslpassword')),
    ...given('minVersion', parameters.get('ssl_min_protocol_version') as SecureVersion | undefined),
    ...given('maxVersion', parameters.get('ssl_max_protocol_version') as SecureVersion | undefined),
    host,
  };
  const verified = root === undefined || root === 'system' ? options : { ...options, ...file('ca', root) };
  const anyName = { checkServerIdentity: () => undefined };
  switch (sslMode) {
    case 'verify-full':
      return verified;
    case 'verify-ca':
      if (root === undefined || root === 'system')
        throw new DatabaseUnusable(
          'sslmode=verify-ca needs sslrootcert=FILE with the authority that signs the server; sslmode=verify-full takes the public ones too',
        );
      return { ...verified, ...anyName };
    case 'require':
      if (root === 'system') throw new DatabaseUnusable('sslrootcert=system needs sslmode=verify-full');
      return root === undefined ? { ...options, rejectUnauthorized: false } : { ...verified, ...anyName };
    default:
      return { ...options, rejectUnauthorized: false };
  }
}

function given<K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [name]: value } as Record<K, V>);
}

function file<K extends string>(name: K, path: string | undefined): Partial<Record<K, string>> {
  if (path === undefined) return {};
  try {
    return { [name]: readFileSync(path, 'utf8') } as Record<K, string>;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new DatabaseUnusable(`cannot use ${describeFileError(path, error)}`);
  }
}
