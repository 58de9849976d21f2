import { resolve } from 'node:path';
import { ConfigError } from './error.js';

/** Where a certificate chain and its private key are, in PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The files that both variables name; null where neither is set. */
export function readTlsFiles(
  text: (name: 'BYWAY_TLS_CERT' | 'BYWAY_TLS_KEY') => string | undefined,
): TlsFiles | null {
  const certFile = text('BYWAY_TLS_CERT');
  const keyFile = text('BYWAY_TLS_KEY');
  if (certFile === undefined && keyFile === undefined) return null;
  if (certFile === undefined) throw new ConfigError('BYWAY_TLS_CERT must be set, since BYWAY_TLS_KEY is');
  if (keyFile === undefined) throw new ConfigError('BYWAY_TLS_KEY must be set, since BYWAY_TLS_CERT is');
  return { certFile: resolve(certFile), keyFile: resolve(keyFile) };
}
