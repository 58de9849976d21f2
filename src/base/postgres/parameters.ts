/** Parameters of libpq's connection URIs (https://www.postgresql.org/docs/17/libpq-connect.html#LIBPQ-PARAMKEYWORDS). */

export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** A rule for the value of a parameter; undefined when the value meets it. */
type Rule = (value: string) => string | undefined;

const anything: Rule = () => undefined;

function oneOf(...values: readonly string[]): Rule {
  return (value) => (values.includes(value) ? undefined : `must be ${listed(values)}, not "${value}"`);
}

function integer(least: number, most: number): Rule {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? undefined : `must be an integer from ${least} to ${most}`;
  };
}

/** A parameter whose only values are those that ask for what Byway does anyway. */
function only(reason: string, ...values: readonly string[]): Rule {
  return (value) => (values.includes(value.toLowerCase()) ? undefined : reason);
}

/** Longer than any network takes, and short enough for a start to tell what is wrong. */
const MAX_CONNECT_TIMEOUT_S = 600;

const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];

/** Every parameter that is taken, with the rule of its value. */
const TAKEN: Readonly<Record<string, Rule>> = {
  host: anything,
  hostaddr: anything,
  port: anything,
  dbname: anything,
  user: anything,
  password: anything,
  passfile: anything,
  options: anything,
  application_name: anything,
  fallback_application_name: anything,
  connect_timeout: integer(0, MAX_CONNECT_TIMEOUT_S),
  client_encoding: only('must be UTF8: Byway speaks no other encoding', 'utf8', 'utf-8', 'unicode', 'auto'),
  sslmode: oneOf(...SSL_MODES),
  ssl: oneOf('true'),
  requiressl: oneOf('0', '1'),
  sslnegotiation: oneOf('postgres', 'direct'),
  sslrootcert: anything,
  sslcert: anything,
  sslkey: anything,
  sslpassword: anything,
  sslcrl: anything,
  sslcertmode: only('must be allow or disable', 'allow', 'disable'),
  sslsni: only('must be 1: the name of the server is always sent', '1'),
  sslcompression: only('must be 0: nothing compresses TLS', '0'),
  ssl_min_protocol_version: oneOf(...TLS_VERSIONS),
  ssl_max_protocol_version: oneOf(...TLS_VERSIONS),
  channel_binding: oneOf('disable', 'prefer', 'require'),
  gssencmode: only('must be disable or prefer: Byway does not speak GSSAPI', 'disable', 'prefer'),
  keepalives: oneOf('0', '1'),
  keepalives_idle: integer(0, 86_400),
  target_session_attrs: only(
    'must be any, read-write or primary: Byway writes, which a standby does not',
    'any',
    'read-write',
    'primary',
  ),
  load_balance_hosts: oneOf('disable', 'random'),
  replication: only('must be left out: Byway is no replica', 'false', 'off', 'no', '0'),
};

/** libpq's parameters that Byway can't honour, and why: ignoring one would promise what it does not do. */
const REFUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['keepalives_interval', 'keepalives_count', 'tcp_user_timeout'].map((name) => [
      name,
      'is a setting of the operating system here (sysctl net.ipv4)',
    ]),
  ),
  ...Object.fromEntries(
    ['krbsrvname', 'gsslib', 'gssdelegation'].map((name) => [
      name,
      'is for GSSAPI, which Byway does not speak',
    ]),
  ),
  service: 'is not read: write what the service file says into the URL',
  servicefile: 'is not read: write what the service file says into the URL',
  requirepeer: 'is not checked: protect the folder of the socket instead',
  require_auth: 'is not checked: let pg_hba.conf of the server choose',
  sslcrldir: 'is not read: name one file with sslcrl',
  min_protocol_version: 'is not needed: Byway speaks version 3.0',
  max_protocol_version: 'is not needed: Byway speaks version 3.0',
  scram_client_key: 'is not used: give the password',
  scram_server_key: 'is not used: give the password',
  oauth_issuer: 'is not supported',
  oauth_client_id: 'is not supported',
  oauth_client_secret: 'is not supported',
  oauth_scope: 'is not supported',
  sslkeylogfile: 'is not supported',
};

/** Parameters of other drivers, and what to write instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  schema: 'write options=-csearch_path%3DNAME',
  currentSchema: 'write options=-csearch_path%3DNAME',
  search_path: 'write options=-csearch_path%3DNAME',
  pgbouncer: 'leave it out; for a pooler in transaction mode set BYWAY_DATABASE_DIRECT_URL',
  connection_limit: 'leave it out; the number of connections is fixed',
  pool_timeout: 'leave it out; the number of connections is fixed',
  uselibpqcompat: 'leave it out; sslmode means what libpq says',
};

/** What is wrong with a parameter, without its value where that may be a secret; undefined when it can be used. */
export function parameterViolation(name: string, value: string): string | undefined {
  if (Object.hasOwn(REFUSED, name)) return `parameter "${name}" ${REFUSED[name]}`;
  if (Object.hasOwn(FOREIGN, name)) return `libpq knows no parameter "${name}": ${FOREIGN[name]}`;
  const rule = Object.hasOwn(TAKEN, name) ? TAKEN[name] : undefined;
  if (rule === undefined) return `libpq knows no parameter "${name}": leave it out`;
  if (name === 'sslmode' && value === 'no-verify')
    return 'parameter "sslmode" must be require where the certificate is not to be verified, not "no-verify"';
  const violation = rule(value);
  return violation === undefined ? undefined : `parameter "${name}" ${violation}`;
}

function listed(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
