/** Where the database is. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_FORM, PostgresUrlError, readPostgresUrl } from '../base/postgres/url.js';
import { ConfigError } from './error.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the value if it has the form of a database URL. Throws ConfigError with the name, since the value may hold
 * a password.
 */
export function databaseUrlOf(name: string, value: string): string {
  const [, path] = /^sqlite:\/\/([^/].*)$/s.exec(value) ?? [];
  if (path !== undefined)
    throw new ConfigError(
      `${name} must have the form sqlite:PATH: write sqlite:${path} for a path from here, sqlite:/${path} for one from the root`,
    );
  if (/^sqlite:./.test(value)) return value;
  if (!/^postgres(ql)?:\/\/./.test(value))
    throw new ConfigError(`${name} must have the form sqlite:PATH or ${POSTGRES_FORM}`);
  requirePostgresUrl(name, value);
  return value;
}

/** The same for a URL of PostgreSQL alone. */
export function directUrlOf(name: string, value: string, databaseUrl: string): string {
  if (!isDatabaseServer(databaseUrl))
    throw new ConfigError(`${name} must be left out: BYWAY_DATABASE_URL names no PostgreSQL`);
  requirePostgresUrl(name, value);
  return value;
}

/** Whether the URL names a database server, which processes on several machines can share. */
export function isDatabaseServer(databaseUrl: string): boolean {
  return !databaseUrl.startsWith('sqlite:');
}

/** libpq's variables for parameters that the URL lacks; those of user, password, host and database the driver reads. */
const LIBPQ_VARIABLES = {
  PGSSLMODE: 'sslmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
  PGCONNECT_TIMEOUT: 'connect_timeout',
} as const;

/** The URL with what libpq's variables and its password file add to it. */
export function withLibpqVariables(url: string, env: Environment): string {
  if (!isDatabaseServer(url)) return url;
  const { password, sslMode, parameters } = readPostgresUrl(url);
  const has = (name: string) => parameters.has(name) || (name === 'sslmode' && sslMode !== undefined);
  const added = Object.entries(LIBPQ_VARIABLES).flatMap(([variable, name]) => {
    const value = env[variable] ?? '';
    return value === '' || has(name) ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  const file = env.PGPASSFILE || join(homedir(), '.pgpass');
  if (password === undefined && !env.PGPASSWORD && !has('passfile') && existsSync(file))
    added.push(`passfile=${encodeURIComponent(file)}`);
  if (added.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${added.join('&')}`;
}

function requirePostgresUrl(name: string, value: string): void {
  try {
    readPostgresUrl(value);
  } catch (error) {
    if (error instanceof PostgresUrlError) throw new ConfigError(`${name}: ${error.message}`);
    throw error;
  }
}
