import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../scripts/free-port.mjs';
import { selfSigned } from '../../server/support.js';
import { inProcess } from '../../support/byway.js';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { startPostgresWire } from '../../support/fakes/postgres-wire.js';
import { proxyBefore } from '../../support/fakes/tcp-proxy.js';
import { type OwnCluster, startOwnCluster } from '../../support/postgres/own-cluster.js';
import { hasPostgres } from '../../support/postgres/postgres-access.js';
import { asAdministrator, newestPrograms } from '../../support/postgres/postgres-cluster.js';
import { words } from './operator-words.js';

describe('where no PostgreSQL answers', () => {
  it('refused', async () => {
    const port = await freePort();
    expect(await words(`postgres://u:hunter2@127.0.0.1:${port}/d`)).toBe(
      `nothing listens at 127.0.0.1:${port}: is PostgreSQL running, and are host and port right?`,
    );
  });

  it('an unknown name', async () => {
    expect(await words('postgres://u:hunter2@nowhere.invalid/d')).toMatch(
      /^the name of nowhere\.invalid:5432 (is unknown|can't be looked up now): /,
    );
  });

  it('no socket', async () => {
    expect(await words('postgres://u:hunter2@/d?host=/cloudsql/p:r:i')).toBe(
      'there is no socket /cloudsql/p:r:i: is PostgreSQL running on this machine, and is its folder of sockets right?',
    );
  });

  it.runIf(hasPostgres())('a connection that is cut', async () => {
    const proxy = await proxyBefore(await temporaryDatabaseUrl('postgres'));
    proxy.cut();
    const url = new URL(proxy.url);
    url.password = 'hunter2';
    expect(await words(url.href)).toBe(
      `${url.host} has cut the connection: look at the log of PostgreSQL, or of what is in front of it`,
    );
  });

  it('another protocol', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await words(`postgres://u:hunter2@127.0.0.1:${port}/d`)).toBe(
      `127.0.0.1:${port} does not answer as PostgreSQL does: look at host and port`,
    );
  });

  it('a version that is too old', async () => {
    const row = { version: '90624', named: '9.6.24', standby: 'f', readonly: 'f' };
    const port = await startPostgresWire({ row });
    expect(await words(`postgres://u:hunter2@127.0.0.1:${port}/d`)).toBe(
      `PostgreSQL at 127.0.0.1:${port} is version 9.6.24: Byway needs 13 or newer`,
    );
  });

  it('an error that has no line of its own: its state, not its text', async () => {
    const error = { S: 'FATAL', C: 'XX002', M: 'index "secret" is corrupted' };
    const port = await startPostgresWire({ error });
    expect(await words(`postgres://u:hunter2@127.0.0.1:${port}/d`)).toBe(
      `PostgreSQL at 127.0.0.1:${port} refused (SQLSTATE XX002, an internal error or damage): its log says more`,
    );
  });

  it('several hosts: what each of them says', async () => {
    const [one, other] = [await freePort(), await freePort()];
    expect(await words(`postgres://u:hunter2@127.0.0.1:${one},127.0.0.1:${other}/d`)).toBe(
      [one, other]
        .map(
          (port) =>
            `nothing listens at 127.0.0.1:${port}: is PostgreSQL running, and are host and port right?`,
        )
        .join('; '),
    );
  });

  it('every command shows it as one line with the variable', async () => {
    const env = { BYWAY_DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' };
    for (const command of [
      ['db', 'migrate'],
      ['db', 'check'],
      ['db', 'stats'],
      ['account', 'create', '--name', 'A'],
    ]) {
      const { code, stderr } = await inProcess(command, env);
      expect([code, stderr]).toEqual([
        1,
        'byway: BYWAY_DATABASE_URL: nothing listens at 127.0.0.1:1: is PostgreSQL running, and are host and port right?\n',
      ]);
    }
  });
});

describe.runIf(newestPrograms() !== undefined)('what PostgreSQL refuses', () => {
  async function clusterWith(hba: readonly string[], settings: Readonly<Record<string, string>> = {}) {
    const cluster = await startOwnCluster({ hba, settings });
    const url = (user: string, database = 'postgres', query = '') =>
      `postgres://${user}@127.0.0.1:${cluster.port}/${database}${query}`;
    const run = (statement: string) => asAdministrator(cluster.url, statement);
    return { cluster, url, run, place: `127.0.0.1:${cluster.port}` };
  }

  it('passwords, users, databases, permissions, and the number of connections', async () => {
    const { url, run, place } = await clusterWith(
      ['host all guest 127.0.0.1/32 reject', 'host all all 127.0.0.1/32 scram-sha-256'],
      { max_connections: '12', superuser_reserved_connections: '3' },
    );
    await run(`create role app login password 'hunter2'`);
    await run(`create role guest login password 'hunter2'`);
    await run('create database app owner app');
    await run('create database bare');
    await run(`create database latin template template0 encoding 'LATIN1' locale 'C' owner app`);
    const password = `PostgreSQL at ${place} refused user "app" or its password: correct them in the URL (special characters percent-encoded)`;
    expect(await words(url('app:wrong', 'app'))).toBe(password);
    expect(await words(url('app', 'app'))).toBe(
      `PostgreSQL at ${place} asks for the password of user "app", and none is given: put it into the URL, PGPASSWORD or a file (passfile)`,
    );
    expect(await words(url('guest:hunter2', 'app'))).toBe(
      `pg_hba.conf of PostgreSQL at ${place} admits no user "guest" to database "app" from this machine without TLS: add sslmode=require to the URL, or a line to pg_hba.conf`,
    );
    expect(await words(url('app:hunter2', 'nowhere'))).toBe(
      `there is no database "nowhere" at ${place}: create it (createdb -O "app" "nowhere"), or correct the name in the URL`,
    );
    expect(await words(url('app:hunter2', 'bare'))).toBe(
      `user "app" lacks a permission in database "bare": Byway's user must own its tables and may create more (GRANT CREATE ON SCHEMA public TO "app", or make it the owner of the database)`,
    );
    expect(await words(url('app:hunter2', 'app', '?options=-csearch_path%3Dnowhere'))).toBe(
      `no schema of database "app" is on the search path of user "app": create one, or name one with options=-csearch_path%3DNAME`,
    );
    for (const options of ['-cnowhere%3D1', 'project%3Dx'])
      expect(await words(url('app:hunter2', 'app', `?options=${options}`))).toMatch(
        /knows no setting like one in "options" of the URL or in PGOPTIONS \(SQLSTATE 42\d\d\d\): correct it, or leave it out$/,
      );
    expect(await words(url('app:hunter2', 'latin'))).toBe(
      'the encoding of the database must be UTF8, not LATIN1',
    );
    expect(await words(url('app:hunter2', 'app', '?sslmode=require'))).toBe(
      `PostgreSQL at ${place} offers no TLS: switch it on there (ssl = on), or use sslmode=disable`,
    );
    const held = Array.from({ length: 9 }, () => new Client(url('app:hunter2', 'app')));
    for (const client of held) client.on('error', () => {});
    await Promise.all(held.map((client) => client.connect()));
    expect(await words(url('app:hunter2', 'app'))).toBe(
      `no connection is left at ${place}: raise max_connections, or run fewer processes (each takes up to 10)`,
    );
    await Promise.all(held.map((client) => client.end()));
    const folder = mkdtempSync(join(tmpdir(), 'byway-passfile-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const passfile = join(folder, 'a:b');
    writeFileSync(passfile, `# ours\nother:*:*:*:no\n127.0.0.1:*:app:app:hunter2\n`, { mode: 0o600 });
    const withFile = url('app', 'app', `?passfile=${encodeURIComponent(passfile)}`);
    expect(await words(withFile)).toBe('opened');
    chmodSync(passfile, 0o644);
    expect(await words(withFile)).toContain('none is given');
  });

  it('standbys, and servers that were made read-only', async () => {
    const { cluster, url, run, place } = await clusterWith(['host all all 127.0.0.1/32 trust'], {
      wal_level: 'replica',
    });
    await run('create database app');
    const readOnly = `PostgreSQL at ${place} is read-only, a standby or set so: name the primary, or all hosts (HOST1,HOST2), of which the one that writes is taken`;
    await run('alter database app set default_transaction_read_only = on');
    expect(await words(url('byway', 'app'))).toBe(readOnly);
    await run('alter database app reset default_transaction_read_only');
    expect(await words(url('byway', 'app'))).toBe('opened');
    await cluster.stop('SIGINT');
    const signal = join(cluster.folder, 'data', 'standby.signal');
    writeFileSync(signal, '');
    await cluster.start();
    expect(await words(url('byway', 'app'))).toBe(readOnly);
    const other = await startOwnCluster({ hba: ['host all all 127.0.0.1/32 trust'] });
    await asAdministrator(other.url, 'create database app');
    const both = `postgres://byway@127.0.0.1:${cluster.port},127.0.0.1:${other.port}/app`;
    expect(await words(both)).toBe('opened');
  }, 60_000);

  describe('with TLS', () => {
    const identity = selfSigned();
    const stranger = selfSigned();
    const folder = mkdtempSync(join(tmpdir(), 'byway-tls-'));
    const [ca, wrong] = [join(folder, 'ca.pem'), join(folder, 'wrong.pem')];
    beforeAll(() => {
      writeFileSync(ca, identity.cert);
      writeFileSync(wrong, stranger.cert);
      return () => rmSync(folder, { recursive: true });
    });

    async function tlsCluster(hba: string): Promise<OwnCluster> {
      const cluster = await startOwnCluster({ hba: [hba] });
      const [key, cert] = [join(cluster.folder, 'key.pem'), join(cluster.folder, 'cert.pem')];
      const { uid, gid } = statSync(join(cluster.folder, 'data'));
      for (const [file, bytes] of [
        [key, identity.key],
        [cert, identity.cert],
      ] as const) {
        writeFileSync(file, bytes, { mode: 0o600 });
        chownSync(file, uid, gid);
      }
      for (const [name, value] of Object.entries({ ssl_key_file: key, ssl_cert_file: cert, ssl: 'on' }))
        await asAdministrator(cluster.url, `alter system set ${name} = '${value}'`);
      await asAdministrator(cluster.url, 'select pg_reload_conf()');
      await asAdministrator(cluster.url, 'create database app');
      await asAdministrator(cluster.url, `create role app login superuser password 'hunter2'`);
      return cluster;
    }

    it('every sslmode means what libpq says', async () => {
      const { port } = await tlsCluster('hostssl all all 127.0.0.1/32 scram-sha-256');
      const at = (query: string, host = 'localhost') =>
        words(`postgres://app:hunter2@${host}:${port}/app?hostaddr=127.0.0.1&${query}`);
      const place = `localhost:${port}`;
      expect(await at('sslmode=disable')).toBe(
        `pg_hba.conf of PostgreSQL at ${place} admits no user "app" to database "app" from this machine without TLS: add sslmode=require to the URL, or a line to pg_hba.conf`,
      );
      for (const query of [
        'connect_timeout=5',
        'sslmode=allow',
        'sslmode=prefer',
        'sslmode=require',
        'ssl=true',
        `sslmode=require&sslrootcert=${ca}`,
        `sslmode=verify-ca&sslrootcert=${ca}`,
        `sslmode=verify-full&sslrootcert=${ca}`,
        'sslmode=require&channel_binding=require',
        'sslmode=require&channel_binding=disable&ssl_min_protocol_version=TLSv1.3',
      ]) {
        expect([query, await at(query)]).toEqual([query, 'opened']);
      }
      expect(await at(`sslmode=verify-ca&sslrootcert=${ca}`, 'other')).toBe('opened');
      expect(await at(`sslmode=verify-full&sslrootcert=${ca}`, 'other')).toBe(
        `the certificate of other:${port} is for another name: use the name in it, or sslmode=verify-ca`,
      );
      const unknown = `the certificate of ${place} is signed by an authority that is unknown here: name its file with sslrootcert`;
      expect(await at(`sslmode=verify-full&sslrootcert=${wrong}`)).toBe(unknown);
      expect(await at(`sslmode=require&sslrootcert=${wrong}`)).toBe(unknown);
      expect(await at('sslmode=verify-full')).toBe(unknown);
      expect(await at('sslmode=verify-ca')).toContain('needs sslrootcert=FILE');
      expect(await at('sslmode=verify-full&sslrootcert=/nowhere.pem')).toBe(
        'cannot use /nowhere.pem: it does not exist (ENOENT)',
      );
    }, 60_000);

    it('channel binding is not given up where the server offers none', async () => {
      const { port } = await tlsCluster('hostssl all all 127.0.0.1/32 password');
      expect(
        await words(`postgres://app:hunter2@127.0.0.1:${port}/app?sslmode=require&channel_binding=require`),
      ).toBe(
        `PostgreSQL at 127.0.0.1:${port} offers no channel binding, which the URL requires: use TLS and scram-sha-256 there, or leave channel_binding out`,
      );
    });
  });
});
