import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Server, startByway } from '../processes.js';
import { SINK_SLUGS, type Sink, sinkCatalog, sinkCredential } from './sink.js';

/** A gateway whose account has a key for every provider of a sink. */
export interface SinkGateway {
  readonly server: Server;
  readonly apiKey: string;
  readonly managementKey: string;
}

/** Starts one in a new folder below this one, after modules that change it, with these settings. */
export async function startSinkGateway(
  folder: string,
  sink: Sink,
  preloads: string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<SinkGateway> {
  const dataDir = join(folder, 'sink-data');
  mkdirSync(dataDir);
  const catalog = join(dataDir, 'catalog.json');
  writeFileSync(catalog, JSON.stringify(sinkCatalog(sink)));
  const settings = { BYWAY_DATA_DIR: dataDir, BYWAY_CATALOG: catalog, BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' };
  const server = await startByway({ ...settings, ...env }, preloads);
  const apiKey = await printed(server, /bw-v1-[0-9a-f]{64}/);
  const managementKey = await printed(server, /bw-mgmt-[0-9a-f]{64}/);
  await addSinkKeys(server.url, managementKey, sink);
  return { server, apiKey, managementKey };
}

/** Gives the account of the management key a key for every provider of the sink. */
export async function addSinkKeys(url: string, managementKey: string, sink: Sink): Promise<void> {
  for (const provider of SINK_SLUGS) {
    const answer = await fetch(`${url}/api/v1/byok`, {
      method: 'POST',
      headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ provider, key: sinkCredential(sink, provider) }),
    });
    if (!answer.ok) throw new Error(`the key for ${provider} was not taken: ${await answer.text()}`);
  }
}

/** They may be printed a moment after the port has answered. */
async function printed(server: Server, key: RegExp): Promise<string> {
  for (let look = 0; look < 500; look += 1) {
    const found = key.exec(server.output())?.[0];
    if (found !== undefined) return found;
    await pause(10);
  }
  throw new Error('the first start printed no keys');
}
