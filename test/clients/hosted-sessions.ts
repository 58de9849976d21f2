import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RunningHosts, startHosts } from '../support/hosts/fakes.js';
import type { Host } from '../support/hosts/table.js';
import { caller, recordOf } from '../support/rest.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { type Fence, startFence } from './fence.js';

/** The built server, whose models are at strict hosts over the account's own keys, and what a client needs to use them. */
export interface HostedSessions {
  readonly hosts: RunningHosts;
  readonly server: ServerProcess;
  /** All that the client can reach beside the server. */
  readonly fence: Fence;
  readonly manage: ReturnType<typeof caller>;
  /** A new folder for the session at a host, with these files. */
  folderOf(host: Host, files: Readonly<Record<string, string | Buffer>>): string;
  /** Is written once all sessions are over. */
  addFigure(line: string): void;
}

/** Starts it before the tests of this file, and ends it after them. `model` are members of every model. */
export function hostedSessions(
  chosen: readonly Host[],
  model: Readonly<Record<string, unknown>>,
  maxMs: number,
): () => HostedSessions {
  const ends: (() => unknown)[] = [];
  const figures: string[] = [];
  let sessions: HostedSessions;

  beforeAll(async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'byway-sessions-')));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const fence = await startFence();
    ends.push(() => fence.close());
    const hosts = await startHosts(chosen, (end) => void ends.push(end));
    const catalog = join(folder, 'catalog.json');
    writeFileSync(catalog, JSON.stringify(hosts.catalog({ context_length: 1_000_000, ...model })));
    const server = await startServerProcess({ BYWAY_CATALOG: catalog, BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' });
    ends.push(() => server.stop());
    const manage = caller({ rest: `http://127.0.0.1:${server.port}/api/v1` }, server.managementKey);
    for (const { provider, key } of hosts.credentials)
      recordOf(await manage('POST', '/byok', { provider, key }));
    const folderOf: HostedSessions['folderOf'] = ({ name }, files) => {
      const own = join(folder, name.replace(/\W+/g, '-'));
      mkdirSync(own);
      for (const [file, content] of Object.entries(files)) writeFileSync(join(own, file), content);
      return own;
    };
    sessions = { hosts, server, fence, manage, folderOf, addFigure: (line) => void figures.push(line) };
  }, maxMs);

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    if (figures.length > 0) process.stdout.write(`${figures.join('\n')}\n`);
  });

  return () => sessions;
}
