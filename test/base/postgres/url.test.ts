import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PostgresUrlError, readPostgresUrl, serverName } from '../../../src/base/postgres/url.js';
import { newestPrograms } from '../../support/postgres/postgres-cluster.js';

/** What libpq's manual shows, and what hosts of PostgreSQL give out, with what each names: places, user, database. */
const FORMS: readonly (readonly [string, readonly string[], (string | undefined)?, (string | undefined)?])[] =
  [
    ['postgresql://', ['localhost:5432']],
    ['postgresql://localhost', ['localhost:5432']],
    ['postgresql://localhost:5433', ['localhost:5433']],
    ['postgresql://localhost/mydb', ['localhost:5432'], undefined, 'mydb'],
    ['postgresql://user@localhost', ['localhost:5432'], 'user'],
    ['postgresql://user:secret@localhost', ['localhost:5432'], 'user'],
    [
      'postgresql://other@localhost/otherdb?connect_timeout=10&application_name=myapp',
      ['localhost:5432'],
      'other',
      'otherdb',
    ],
    [
      'postgresql://host1:123,host2:456/somedb?target_session_attrs=any&application_name=myapp',
      ['host1:123', 'host2:456'],
      undefined,
      'somedb',
    ],
    [
      'postgresql://host1,host2/d?target_session_attrs=read-write',
      ['host1:5432', 'host2:5432'],
      undefined,
      'd',
    ],
    ['postgresql:///mydb?host=localhost&port=5433', ['localhost:5433'], undefined, 'mydb'],
    ['postgresql:///d?host=a,b&port=1,2', ['a:1', 'b:2'], undefined, 'd'],
    ['postgresql:///d?host=a,b&port=7', ['a:7', 'b:7'], undefined, 'd'],
    [
      'postgresql://user@localhost:5433/mydb?options=-c%20synchronous_commit%3Doff',
      ['localhost:5433'],
      'user',
      'mydb',
    ],
    ['postgresql://[2001:db8::1234]/database', ['[2001:db8::1234]:5432'], undefined, 'database'],
    ['postgresql://[::1]:5433,[::2]/d', ['[::1]:5433', '[::2]:5432'], undefined, 'd'],
    ['postgresql:///dbname?host=/var/lib/postgresql', ['socket /var/lib/postgresql'], undefined, 'dbname'],
    ['postgresql://%2Fvar%2Flib%2Fpostgresql/dbname', ['socket /var/lib/postgresql'], undefined, 'dbname'],
    ['postgres://u:p@%2Fvar%2Frun%2Fpostgresql:5433/d', ['socket /var/run/postgresql'], 'u', 'd'],
    // Cloud SQL: https://cloud.google.com/sql/docs/postgres/connect-run
    [
      'postgres://u:p@/d?host=/cloudsql/project:region:instance',
      ['socket /cloudsql/project:region:instance'],
      'u',
      'd',
    ],
    ['postgres://u:p@localhost/d?host=/cloudsql/p:r:i', ['socket /cloudsql/p:r:i'], 'u', 'd'],
    ['postgres://u:p@/d?host=@abstract', ['socket @abstract'], 'u', 'd'],
    ['postgres://u:p@h/d?hostaddr=10.0.0.1', ['h:5432'], 'u', 'd'],
    ['postgres:///?user=u&password=p&dbname=d&host=h', ['h:5432'], 'u', 'd'],
    ['postgres://h/?user=a@b', ['h:5432'], 'a@b'],
    ['postgres://us%40er:p%3A%2F%3F%23@h/d%2Fe', ['h:5432'], 'us@er', 'd/e'],
    ['postgres://u:p@ss@h/d', ['h:5432'], 'u', 'd'],
    // Neon, Supabase, DigitalOcean, Aiven, Azure, RDS.
    [
      'postgresql://u:p@ep-x-pooler.neon.tech/d?sslmode=require&channel_binding=require',
      ['ep-x-pooler.neon.tech:5432'],
      'u',
      'd',
    ],
    [
      'postgresql://postgres.ref:p@aws-0.pooler.supabase.com:5432/postgres',
      ['aws-0.pooler.supabase.com:5432'],
      'postgres.ref',
      'postgres',
    ],
    [
      'postgresql://doadmin:p@db.ondigitalocean.com:25060/defaultdb?sslmode=require',
      ['db.ondigitalocean.com:25060'],
      'doadmin',
      'defaultdb',
    ],
    [
      'postgres://avnadmin:p@pg.aivencloud.com:12345/defaultdb?sslmode=verify-full&sslrootcert=ca.pem',
      ['pg.aivencloud.com:12345'],
      'avnadmin',
      'defaultdb',
    ],
    [
      'postgres://u%40server:p@x.postgres.database.azure.com/d?ssl=true',
      ['x.postgres.database.azure.com:5432'],
      'u@server',
      'd',
    ],
    ...['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'].map(
      (mode): [string, string[], undefined, string] => [
        `postgres://h/d?sslmode=${mode}&sslrootcert=/ca.pem`,
        ['h:5432'],
        undefined,
        'd',
      ],
    ),
    [
      'postgres://h/d?sslcert=a&sslkey=b&sslpassword=c&sslcrl=d&sslrootcert=system',
      ['h:5432'],
      undefined,
      'd',
    ],
    ['postgres://h/d?keepalives=1&keepalives_idle=30&gssencmode=disable', ['h:5432'], undefined, 'd'],
    ['postgres://h/d?load_balance_hosts=random&client_encoding=UTF8', ['h:5432'], undefined, 'd'],
    ['postgres://h/d?passfile=/run/secrets/pgpass&fallback_application_name=x', ['h:5432'], undefined, 'd'],
  ];

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

  /** libpq's own program, which reads the URL before it looks for the server. */
  const psql = [`${newestPrograms()}/psql`].find((path) => existsSync(path));

  it.runIf(psql !== undefined)('libpq itself takes whatever is taken here', () => {
    const urls = FORMS.map(([url]) => url);
    const unread = urls
      .filter((url) => !/load_balance|p@ss/.test(url))
      .filter((url) => {
        const here = url
          .replace(/\/\/(?:([^/?]*)@)?[^/?]*/, '//')
          .replace(/host(addr)?=[^&]*/g, 'host=/nowhere');
        try {
          execFileSync(
            psql ?? '',
            [`${here}${here.includes('?') ? '&' : '?'}host=/nowhere&port=1`, '-c', 'select 1'],
            {
              stdio: 'pipe',
              timeout: 10_000,
            },
          );
          return false;
        } catch (error) {
          const said = String((error as { stderr?: Buffer }).stderr);
          return !/connection to server on socket|certificate file|root certificate/.test(said);
        }
      });
    expect(unread).toEqual([]);
  });
});
