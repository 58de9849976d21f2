import { describe, expect, it } from 'vitest';
import { PostgresUrlError, readPostgresUrl, serverName } from '../../../src/base/postgres/url.js';
import { FORMS } from './url-forms.js';

/** What is refused, and the words. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['postgres:h/d', 'must have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE'],
  ['postgres://u:hunter2@h:x/d', 'a port must be an integer from 1 to 65535'],
  ['postgres://u:hunter2@h:0/d', 'a port must be an integer from 1 to 65535'],
  ['postgres://u:hunter2@h:65536/d', 'a port must be an integer from 1 to 65535'],
  ['postgres://u:hunter2@::1/d', 'an IPv6 address must be in brackets: [::1]'],
  ['postgres://u:hunter2@[/d', 'an IPv6 address must be in brackets: [::1]'],
  ['postgres://u:hunter2@[::1/d', 'an IPv6 address must be in brackets: [::1]'],
  ['postgres://u:hunter2@db]/d', 'an IPv6 address must be in brackets: [::1]'],
  [
    'postgres://u:hunter2%zz@h/d',
    '"password" has a "%" that is not followed by two hexadecimal digits: write %25',
  ],
  ['postgres://h/d?sslmode', 'parameter "sslmode" lacks "=" and a value'],
  [
    'postgres://h/d?sslmode=no-verify',
    'parameter "sslmode" must be require where the certificate is not to be verified, not "no-verify"',
  ],
  ['postgres://h/d?schema=x', 'libpq knows no parameter "schema": write options=-csearch_path%3DNAME'],
  [
    'postgres://h/d?pgbouncer=true',
    'libpq knows no parameter "pgbouncer": leave it out; for a pooler in transaction mode set BYWAY_DATABASE_DIRECT_URL',
  ],
  ['postgres://h/d?sslmod=require', 'libpq knows no parameter "sslmod": leave it out'],
  ['postgres://h/d?__proto__=x', 'libpq knows no parameter "__proto__": leave it out'],
  [
    'postgres://h/d?service=x',
    'parameter "service" is not read: write what the service file says into the URL',
  ],
  ['postgres://h/d?connect_timeout=soon', 'parameter "connect_timeout" must be an integer from 0 to 600'],
  [
    'postgres://h/d?target_session_attrs=standby',
    'parameter "target_session_attrs" must be any, read-write or primary: Byway writes, which a standby does not',
  ],
  [
    'postgres://h/d?client_encoding=LATIN1',
    'parameter "client_encoding" must be UTF8: Byway speaks no other encoding',
  ],
  ['postgres:///d?host=a,b&port=1,2,3', 'names 2 hosts, but 3 ports'],
  ['postgres:///d?host=a,b&hostaddr=10.0.0.1', 'names 2 hosts, but 1 in "hostaddr"'],
  [`postgres://${Array(17).fill('h')}/d`, 'names more than 16 hosts'],
];

describe('the URL of a PostgreSQL server', () => {
  it.each(FORMS.map(([url, ...named]) => ({ url, named })))(
    '$url is taken as libpq takes it',
    ({ url, named }) => {
      const [places, user, database] = named;
      const read = readPostgresUrl(url);
      expect([read.hosts.map(serverName), read.user, read.database]).toEqual([places, user, database]);
    },
  );

  it('its password is decoded', () => {
    expect(readPostgresUrl('postgres://u:p%3A%2F%3F%23@h').password).toBe('p:/?#');
    expect(readPostgresUrl('postgres://u:a@b@h').password).toBe('a@b');
    expect(readPostgresUrl('postgres://u:a:b@h').password).toBe('a:b');
  });

  it.each([
    'postgres://u:hun/ter2@h:5432/d',
    'postgres://u:hun?ter2@h/d',
    'postgres://u:hun?ter2=x@h/d',
    'postgres://u:12/34@h:5432/d',
    'postgres://u:12?34@h/d',
    'postgres://u:12?34=5@h/d',
    'postgres://u:1/2?3#4@5%@h/d',
    'postgres://u:hun@ter/2@h/d',
    'postgres://u:hun@ter?2@h/d',
    'postgres://u:hun@ter?sslmode=2@h/d',
  ])('a password that ends too early, as in %s, is told so, and no part of it is repeated', (url) => {
    const message =
      'has a "/" or a "?" before the "@" that ends user and password: write %2F or %3F there (and %40 for an "@" that stands behind it), or give the password in PGPASSWORD or a file (passfile)';
    expect(() => readPostgresUrl(url)).toThrow(new PostgresUrlError(message));
  });

  it('an "@" elsewhere is taken', () => {
    for (const url of ['postgres://h:5432/?user=a@b', 'postgres://h/d@e', 'postgres://u:p@h/?host=@x'])
      expect(() => readPostgresUrl(url)).not.toThrow();
  });

  it('ssl=true is the require of JDBC, and the mode of libpq wins', () => {
    expect(readPostgresUrl('postgres://h?ssl=true').sslMode).toBe('require');
    expect(readPostgresUrl('postgres://h?ssl=true&sslmode=verify-full').sslMode).toBe('verify-full');
    expect(readPostgresUrl('postgres://h').sslMode).toBeUndefined();
  });

  it.each(REFUSED)('%s is refused with words that say what to do, and hold no secret', (url, message) => {
    expect(() => readPostgresUrl(url)).toThrow(new PostgresUrlError(message));
    expect(message).not.toContain('hunter2');
  });
});
