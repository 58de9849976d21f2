/** Connection URIs of PostgreSQL as libpq reads them (https://www.postgresql.org/docs/17/libpq-connect.html#LIBPQ-CONNSTRING-URIS). */
import { parameterViolation, type SslMode } from './parameters.js';

/** A server of the URL. */
export interface PostgresHost {
  /** A name, an address, or the folder of a socket (`/...`; `@...` is an abstract one); '' = the default of this machine. */
  readonly host: string;
  /** The `hostaddr` of the URL: where to connect to instead of looking the name up. */
  readonly address: string | undefined;
  readonly port: number;
}

/** What a URL names. */
export interface PostgresUrl {
  /** At least one; they are tried in this order. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly sslMode: SslMode | undefined;
  /** The other parameters, by name; each has a value that can be used. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A URL that can't be used. Its message names what is wrong and holds no secret. */
export class PostgresUrlError extends Error {
  override readonly name = 'PostgresUrlError';
}

export const POSTGRES_FORM = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE';

const DEFAULT_PORT = 5_432;

/** More would be a mistake; each may take its own timeout. */
const MAX_HOSTS = 16;

/** Reads the URL. Throws PostgresUrlError. */
export function readPostgresUrl(url: string): PostgresUrl {
  const form = /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url);
  if (form === null) throw new PostgresUrlError(`must have the form ${POSTGRES_FORM}`);
  const [, login, hostList = '', path = '', query = ''] = form;
  const mayHoldLogin = login !== undefined || /^[^[]*:/.test(hostList);
  if (mayHoldLogin && (path.includes('@') || pairsOf(query).some(isOfNoParameter)))
    throw new PostgresUrlError(CUT_LOGIN);
  const parameters = readParameters(query);
  const take = (name: string): string | undefined => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value === '' ? undefined : value;
  };
  const [user, password] = readLogin(login);
  const sslMode = sslModeOf(take('sslmode'), take('ssl'), take('requiressl'));
  const hosts = readHosts(hostList, take('host'), take('hostaddr'), take('port'));
  return {
    hosts,
    user: take('user') ?? user,
    password: take('password') ?? password,
    database: take('dbname') ?? nonEmpty(decoded(path, 'database')),
    sslMode,
    parameters,
  };
}

/** How an operator calls the server: without user, password and parameters. */
export function serverName({ host, address, port }: PostgresHost): string {
  if (isSocket(host)) return `socket ${host}`;
  const name = host || address || 'localhost';
  return name.includes(':') ? `[${name}]:${port}` : `${name}:${port}`;
}

export function isSocket(host: string): boolean {
  return host.startsWith('/') || host.startsWith('@');
}

/** What follows is a part of the password, which no other message may repeat. */
const CUT_LOGIN =
  'has a "/" or a "?" before the "@" that ends user and password: write %2F or %3F there (and %40 for an "@" that stands behind it), or give the password in PGPASSWORD or a file (passfile)';

/** Whether the end of a login stands where parameters do. */
function isOfNoParameter(pair: string): boolean {
  const [name, value] = halves(pair);
  return pair.includes('@') && (value === undefined || parameterViolation(name, value) !== undefined);
}

function pairsOf(query: string): string[] {
  return query === '' ? [] : query.split('&');
}

/** Still encoded. */
function halves(pair: string): [name: string, value: string | undefined] {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
  return [name, value];
}

function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of pairsOf(query)) {
    const [rawName, rawValue] = halves(pair);
    const name = decoded(rawName, 'parameter');
    if (rawValue === undefined) throw new PostgresUrlError(`parameter "${name}" lacks "=" and a value`);
    const value = decoded(rawValue, name);
    const violation = parameterViolation(name, value);
    if (violation !== undefined) throw new PostgresUrlError(violation);
    parameters.set(name, value);
  }
  return parameters;
}

function readLogin(login: string | undefined): [string | undefined, string | undefined] {
  if (login === undefined) return [undefined, undefined];
  const colon = login.indexOf(':');
  const user = colon === -1 ? login : login.slice(0, colon);
  const password = colon === -1 ? undefined : login.slice(colon + 1);
  return [nonEmpty(decoded(user, 'user')), password && nonEmpty(decoded(password, 'password'))];
}

function sslModeOf(
  mode: string | undefined,
  ssl: string | undefined,
  requires: string | undefined,
): SslMode | undefined {
  if (mode !== undefined) return mode as SslMode;
  // JDBC's spelling, which libpq documents, and libpq's own former one.
  return ssl === 'true' || requires === '1' ? 'require' : undefined;
}

function readHosts(
  hostList: string,
  hostParameter: string | undefined,
  addressParameter: string | undefined,
  portParameter: string | undefined,
): PostgresHost[] {
  const listed = hostList.split(',').map(splitHost);
  const hosts = hostParameter?.split(',') ?? listed.map(({ host }) => host);
  const addresses = addressParameter?.split(',');
  const names =
    addresses !== undefined && hosts.every((host) => host === '') ? addresses.map(() => '') : hosts;
  if (addresses !== undefined && addresses.length !== names.length)
    throw new PostgresUrlError(`names ${names.length} hosts, but ${addresses.length} in "hostaddr"`);
  // Ports in the list of hosts count for hosts of the parameter too, as libpq has it.
  const given = portParameter?.split(',') ?? listed.map(({ port }) => port);
  const ports = given.every((port) => port === '') ? [''] : given;
  if (ports.length !== 1 && ports.length !== names.length)
    throw new PostgresUrlError(`names ${names.length} hosts, but ${ports.length} ports`);
  if (names.length > MAX_HOSTS) throw new PostgresUrlError(`names more than ${MAX_HOSTS} hosts`);
  return names.map((host, index) => ({
    host,
    address: nonEmpty(addresses?.[index] ?? ''),
    port: portOf(ports.length === 1 ? (ports[0] ?? '') : (ports[index] ?? '')),
  }));
}

function splitHost(text: string): { host: string; port: string } {
  const bracketed = /^\[([^\]]+)\](?::(.*))?$/.exec(text);
  if (bracketed !== null) return { host: decoded(bracketed[1] ?? '', 'host'), port: bracketed[2] ?? '' };
  const [host = '', port = '', ...more] = text.split(':');
  if (more.length > 0 || /[[\]]/.test(text))
    throw new PostgresUrlError('an IPv6 address must be in brackets: [::1]');
  return { host: decoded(host, 'host'), port };
}

function portOf(text: string): number {
  if (text === '') return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new PostgresUrlError('a port must be an integer from 1 to 65535');
  return port;
}

/** Throws PostgresUrlError with the name, since the text may be a secret. */
function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PostgresUrlError(
      `"${name}" has a "%" that is not followed by two hexadecimal digits: write %25`,
    );
  }
}

function nonEmpty(text: string): string | undefined {
  return text === '' ? undefined : text;
}
