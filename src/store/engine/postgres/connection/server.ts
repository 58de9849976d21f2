import { Client, type ClientConfig, type QueryConfig } from 'pg';
import {
  type PostgresHost,
  type PostgresUrl,
  readPostgresUrl,
  serverName,
} from '../../../../base/postgres/url.js';
import { requireChannelBinding } from './channel-binding.js';
import { ConnectionLost, isServerError, stateOf } from './errors.js';
import { passwordIn } from './passfile.js';
import { STORED_TYPES } from './rows.js';
import { type Tls, tlsAttempts } from './tls.js';
import { operatorWords, readOnly, type Where } from './words.js';

/** How long one host may take to connect, unless the URL says otherwise (`connect_timeout`). */
const CONNECT_TIMEOUT_MS = 3_000;

/** How long the first statements of a session may take that has no time limit. */
const BEGIN_TIMEOUT_MS = 10_000;

/** Oldest version that has everything that the schema and the statements use. */
const OLDEST_VERSION = 130_000;

/** What a session is for. */
export interface SessionUse {
  /** Statements that it begins with. */
  readonly first: readonly string[];
  /** Whether it writes, so that a server that was made read-only is of no use. */
  readonly writes: boolean;
  /** In milliseconds; 0 = none. */
  readonly answerTimeoutMs: number;
}

/** A session as it was opened. */
export interface OpenSession {
  readonly client: Client;
  /** `performance.now()` when it began to be opened. */
  readonly openedAt: number;
}

/**
 * The server that a URL names: the first of its hosts that takes connections and is no standby. All sessions are opened
 * here, so that one that finds the server demoted ends those of the same age as well.
 */
export class PostgresServer {
  readonly #url: PostgresUrl;
  readonly #onDemoted = new Set<(before: number) => void>();
  /** The host that was good last, which is tried first. */
  #current = 0;
  #where: Where;
  readonly #login: Pick<Where, 'user' | 'database'>;
  #demotedAt = 0;
  /** Hosts that take no TLS where that is only preferred: they are not asked again. */
  readonly #cleartext = new Set<PostgresHost>();

  /** Throws PostgresUrlError. */
  constructor(url: string) {
    this.#url = readPostgresUrl(url);
    if (this.#url.parameters.get('load_balance_hosts') === 'random')
      this.#current = Math.floor(Math.random() * this.#url.hosts.length);
    // With what the driver takes where the URL says nothing.
    const { user = '', database = '' } = new Client({ user: this.#url.user, database: this.#url.database });
    this.#login = { user, database };
    this.#where = this.#whereOf(this.#url.hosts[this.#current], false);
  }

  /** What an operator reads about the failure of a statement. */
  wordsOf(error: unknown): string {
    return operatorWords(error, this.#where);
  }

  /** Calls the listener when sessions that were opened before an instant are those of a server that does not write. */
  onDemoted(listener: (before: number) => void): void {
    this.#onDemoted.add(listener);
  }

  /**
   * A session that was opened at this time has found the server read-only. It is ended on the server too, where that
   * is such a server: a pooler would hand it to the next client.
   */
  demoted(client: Client, openedAt: number): void {
    void client.query(END_READ_ONLY).catch(() => {});
    if (openedAt <= this.#demotedAt) return;
    this.#demotedAt = performance.now();
    for (const listener of this.#onDemoted) listener(this.#demotedAt);
  }

  /**
   * Opens a session. Tries the hosts in turn, but none after one that refuses the user, as libpq does. Throws
   * ConnectionLost with the words for an operator, or the server's error where that ended this one connection.
   */
  async open(use: SessionUse): Promise<OpenSession> {
    const { hosts } = this.#url;
    const messages: string[] = [];
    for (let tried = 0; tried < hosts.length; tried++) {
      const index = (this.#current + tried) % hosts.length;
      const host = hosts[index];
      if (host === undefined) break;
      try {
        const session = await this.#openAt(host, use);
        this.#current = index;
        return session;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        messages.push(error.message);
        if (error.isFinal) break;
      }
    }
    throw new ConnectionLost([...new Set(messages)].join('; '));
  }

  async #openAt(host: PostgresHost, use: SessionUse): Promise<OpenSession> {
    const attempts = this.#cleartext.has(host) ? [false as const] : tlsAttempts(this.#url, host);
    let first: Refused | undefined;
    for (const [index, tls] of attempts.entries()) {
      try {
        const session = await this.#connectAnew(host, tls, use);
        this.#where = this.#whereOf(host, tls !== false);
        return session;
      } catch (error) {
        const refused = refusalOf(error, this.#whereOf(host, tls !== false));
        if (refused === undefined) throw error;
        if (isWithoutTls(error) && attempts.length > 1) this.#cleartext.add(host);
        else first ??= refused;
        if (index === attempts.length - 1 || !mayDifferByTls(error)) throw first ?? refused;
      }
    }
    throw new Error('there is always an attempt');
  }

  /** Poolers keep sessions of before: those that are found are ended until a new one comes. */
  async #connectAnew(host: PostgresHost, tls: Tls, use: SessionUse): Promise<OpenSession> {
    for (let found = 1; ; found++) {
      try {
        return await this.#connect(host, tls, use);
      } catch (error) {
        if (!(error instanceof Stale) || found === MAX_STALE_SESSIONS) throw error;
      }
    }
  }

  async #connect(host: PostgresHost, tls: Tls, use: SessionUse): Promise<OpenSession> {
    const openedAt = performance.now();
    const client = new Client(this.#configOf(host, tls, use.answerTimeoutMs));
    client.on('error', () => {});
    const binding = this.#url.parameters.get('channel_binding') === 'require';
    const verified = binding ? requireChannelBinding(client) : undefined;
    try {
      await client.connect();
      verified?.();
      const text = [CHECK, ...use.first].join('; ');
      const query_timeout = use.answerTimeoutMs || BEGIN_TIMEOUT_MS;
      const answers = await client.query({ text, query_timeout } as QueryConfig);
      const [check] = Array.isArray(answers) ? answers : [answers];
      requireUsable(check?.rows[0], use, this.#whereOf(host, tls !== false), client);
      return { client, openedAt };
    } catch (error) {
      if (error instanceof Stale) await client.query(END_SESSION).catch(() => {});
      void client.end().catch(() => {});
      throw error;
    }
  }

  #configOf(host: PostgresHost, tls: Tls, answerTimeoutMs: number): ClientConfig {
    const { user, password, database, parameters } = this.#url;
    const folder = host.host.startsWith('@') ? `\0${host.host.slice(1)}` : host.host;
    const passfile = password === undefined ? parameters.get('passfile') : undefined;
    const name = parameters.get('application_name') ?? parameters.get('fallback_application_name');
    const options = parameters.get('options');
    const config: ClientConfig = {
      // Otherwise the driver takes what its environment has.
      host: host.address ?? (folder || undefined),
      port: host.port,
      user,
      database,
      ssl: tls,
      application_name: name ?? 'byway',
      connectionTimeoutMillis: connectTimeout(parameters.get('connect_timeout')),
      keepAlive: parameters.get('keepalives') !== '0',
      keepAliveInitialDelayMillis: Number(parameters.get('keepalives_idle') ?? 10) * 1_000,
      enableChannelBinding: tls !== false && parameters.get('channel_binding') !== 'disable',
      types: STORED_TYPES,
      // Queries are sent without waiting for the answer to the previous one.
      pipeline: true,
      query_timeout: answerTimeoutMs,
      ...(options !== undefined && { options }),
      ...(tls !== false && parameters.get('sslnegotiation') === 'direct' && { sslnegotiation: 'direct' }),
    };
    if (passfile === undefined) return { ...config, ...(password !== undefined && { password }) };
    // Read for each connection, so that a password that was changed there is used from the next one on.
    const sought = { host: host.host || 'localhost', port: host.port, ...this.#login };
    return { ...config, password: async () => (await passwordIn(passfile, sought)) ?? '' };
  }

  #whereOf(host: PostgresHost | undefined, isEncrypted: boolean): Where {
    return { address: host === undefined ? '' : serverName(host), ...this.#login, isEncrypted };
  }
}

/** One host that can't be used now. */
class Refused extends Error {
  /** Whether the other hosts would say the same. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** A session that a pooler has kept, to a server that was not the primary, or read-only, when the session began. */
class Stale extends Refused {}

/**
 * The server's version, whether it is a standby, whether transactions of this user write nothing by default, and for how
 * many seconds the session has been there.
 */
const CHECK = `select current_setting('server_version_num')::int as version, current_setting('server_version') as named,
  pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') = 'on' as readonly,
  pg_backend_pid() as pid, (select extract(epoch from clock_timestamp() - backend_start)::float8
    from pg_stat_activity where pid = pg_backend_pid()) as age`;

/** What a role may do to sessions of its own. */
const END_SESSION = 'select pg_terminate_backend(pg_backend_pid())';

const END_READ_ONLY = `${END_SESSION}
  where pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on'`;

/** A session that is no older shows what the server is now. */
const NEW_SESSION_S = 1;

/** In one attempt to connect; more than a process had. */
const MAX_STALE_SESSIONS = 16;

interface Check {
  readonly version: number;
  readonly named: string;
  readonly standby: boolean;
  readonly readonly: boolean;
  readonly pid: number;
  readonly age: number | null;
}

function requireUsable(check: Check | undefined, { writes }: SessionUse, where: Where, client: Client): void {
  if (check === undefined) throw new Refused(`${where.address} does not answer as PostgreSQL does`, true);
  if (check.version < OLDEST_VERSION)
    throw new Refused(
      `PostgreSQL at ${where.address} is version ${check.named}: Byway needs ${OLDEST_VERSION / 10_000} or newer`,
      true,
    );
  if (!check.standby && !(writes && check.readonly)) return;
  const isKept = check.pid !== pidOf(client) && (check.age ?? 0) > NEW_SESSION_S;
  throw new (isKept ? Stale : Refused)(readOnly(where), false);
}

/** As the server, or the pooler in front of it, told the client: a pooler tells a number of its own. */
export function pidOf(client: Client): number {
  return (client as unknown as { readonly processID: number }).processID;
}

/** Undefined when the server ended this one connection, so that it is up. */
function refusalOf(error: unknown, where: Where): Refused | undefined {
  if (error instanceof Refused) return error;
  const state = stateOf(error);
  if (state === '57P01') return undefined;
  if (!isServerError(error) && !(error instanceof Error)) return undefined;
  return new Refused(operatorWords(error, where), state.startsWith('28') && state !== '28000');
}

/** Whether the server takes no TLS at all. */
function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message.includes('does not support SSL');
}

/** Whether the answer may be another one with TLS instead of without, or the other way round. */
function mayDifferByTls(error: unknown): boolean {
  if (isServerError(error)) return stateOf(error) === '28000';
  if (!(error instanceof Error) || error instanceof Refused) return false;
  const code = 'code' in error ? String(error.code) : '';
  return isWithoutTls(error) || code === 'ECONNRESET' || code === 'EPROTO' || code.startsWith('ERR_SSL_');
}

/** libpq takes 0 for no bound; callers would wait for ever. */
function connectTimeout(seconds: string | undefined): number {
  const given = Number(seconds ?? 0) * 1_000;
  return given === 0 ? CONNECT_TIMEOUT_MS : given;
}
