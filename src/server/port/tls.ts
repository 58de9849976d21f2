import { readFileSync } from 'node:fs';
import * as https from 'node:https';
import { createSecureContext } from 'node:tls';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { describeFileError } from '../../base/file-error.js';
import { ConfigError } from '../../config/config.js';
import type { TlsFiles } from '../../config/tls-files.js';
import type { TlsIdentity } from './one-port.js';

/**
 * Reads certificate and key. Throws ConfigError, in one line that names the variable, for a file that can't be read
 * or has other content, and for a key of another certificate.
 */
export function loadTlsIdentity({ certFile, keyFile }: TlsFiles): TlsIdentity {
  const cert = read('BYWAY_TLS_CERT', certFile);
  const key = read('BYWAY_TLS_KEY', keyFile);
  requireValid({ cert }, 'BYWAY_TLS_CERT must be a file with a certificate in PEM');
  requireValid({ key }, 'BYWAY_TLS_KEY must be a file with a private key in PEM, without a passphrase');
  requireValid({ cert, key }, 'BYWAY_TLS_KEY must be the private key of the certificate in BYWAY_TLS_CERT');
  return { cert, key };
}

/** Uses a renewed certificate for new connections; with unusable files the old one stays. Without any nothing happens. */
export function reloadTlsIdentity(
  server: FastifyInstance['server'],
  files: TlsFiles | null,
  log: Pick<FastifyBaseLogger, 'info' | 'error'>,
): void {
  if (files === null) {
    log.info('there is no TLS certificate to reload');
    return;
  }
  try {
    if (server instanceof https.Server) server.setSecureContext(loadTlsIdentity(files));
    log.info('reloaded the TLS certificate');
  } catch (err) {
    log.error({ err }, 'kept the old TLS certificate');
  }
}

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new ConfigError(`${name}: cannot read ${describeFileError(file, cause)}`, { cause });
  }
}

function requireValid(identity: Partial<TlsIdentity>, rule: string): void {
  try {
    createSecureContext(identity);
  } catch (cause) {
    throw new ConfigError(rule, { cause });
  }
}
