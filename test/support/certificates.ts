import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface Authority {
  /** The file of its certificate. */
  readonly file: string;
  /** A certificate for the names (`DNS:host`, `IP:127.0.0.1`) in PEM, valid for a day, or expired. */
  issue(names: string, isExpired?: boolean): Issued;
  /** The authority's own certificate and key, as those of a host that signs its own. */
  readonly own: Issued;
}

/** In PEM. */
interface Issued {
  readonly cert: string;
  readonly key: string;
}

/** A private certificate authority, made by openssl; gone after the test, or when `atEnd` says so. */
export function privateAuthority(atEnd: (end: () => void) => void = onTestFinished): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'byway-authority-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...curve,
    '-subj',
    '/CN=Private authority',
    '-days',
    '2',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  const read = (name: string): Issued => ({
    cert: readFileSync(at(`${name}.pem`), 'utf8'),
    key: readFileSync(at(`${name}.key`), 'utf8'),
  });
  return {
    file: at('ca.pem'),
    own: read('ca'),
    issue(names, isExpired = false) {
      openssl('req', ...curve, '-subj', '/CN=host', '-keyout', 'host.key', '-out', 'host.csr');
      writeFileSync(at('san'), `subjectAltName=${names}\n`);
      const signed = [
        '-in',
        'host.csr',
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-extfile',
        'san',
      ];
      openssl('x509', '-req', ...signed, '-days', isExpired ? '-1' : '1', '-out', 'host.pem');
      return read('host');
    },
  };
}
