/**
 * Exports and results that are being read when a draining gateway has waited long enough: over RPC they end with an error that
 * says so, over REST no client can take what came for the whole.
 */
import { once } from 'node:events';
import http from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { GenerationStore } from '../../src/inference/ports/generation.js';
import { startBatchWorld } from '../batch/world.js';
import { originOf, type Scheme, settingsOf, VERSIONS, type Version } from '../support/clients/calls.js';
import { getCall, STREAM_PROTOCOLS, streamCall } from '../support/clients/streams.js';
import { toldBy } from '../support/clients/told.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { addGenerations } from '../support/many-generations.js';
import { recordOf } from '../support/rest.js';

const DRAIN = { BYWAY_DRAIN_MS: '200' };
const WAIT = { timeout: 5_000, interval: 5 };
const NEVER = new Promise<never>(() => undefined);

const TOLD = { message: 'The gateway is shutting down', reason: 'shutting_down' };
const CODES = { Connect: 'unavailable', gRPC: '14', 'gRPC-Web': '14' };

const VERSIONS_OF = Object.keys(VERSIONS) as Version[];
const RPCS = STREAM_PROTOCOLS.flatMap((protocol) =>
  VERSIONS_OF.filter((version) => protocol !== 'gRPC' || version === 'HTTP/2').map((version) => ({
    protocol,
    version,
  })),
);

/** Exports have one page, after which the store says nothing more; resolves when that is. */
function stallExports({ gateway }: TestGateway): Promise<void> {
  const store: GenerationStore = gateway.stores.generations;
  const read = store.export.bind(store);
  return new Promise((resolve) => {
    const spy = vi.spyOn(store, 'export').mockImplementation(async function* (accountId, filter) {
      for await (const page of read(accountId, filter)) {
        yield page;
        resolve();
        await NEVER;
      }
    });
    onTestFinished(() => spy.mockRestore());
  });
}

async function startExports(scheme: Scheme = 'http') {
  const gateway = await startGateway({ env: { ...DRAIN, ...settingsOf(scheme) } });
  await addGenerations(gateway.gateway.database, 3, gateway);
  return { gateway, stalled: stallExports(gateway), origin: originOf(scheme, gateway.url) };
}

it.each(RPCS.flatMap((one) => (['http', 'https'] as const).map((scheme) => ({ ...one, scheme }))))(
  'an export over $protocol, $version, $scheme ends with unavailable, reason shutting_down',
  async ({ protocol, version, scheme }) => {
    const { gateway, stalled, origin } = await startExports(scheme);
    const call = streamCall(protocol, 'GenerationService/ExportGenerations', {});
    const sent = VERSIONS[version](origin, call, gateway.managementKey);
    await stalled;
    await gateway.drain.stop();
    const came = await sent.came;
    expect(came.text.split('gen-many-')).toHaveLength(4);
    expect(toldBy(protocol, true, came)).toEqual({ ...TOLD, status: 200, code: CODES[protocol] });
  },
);

it.each((['jsonl', 'csv'] as const).flatMap((format) => VERSIONS_OF.map((version) => ({ format, version }))))(
  'an export over REST as $format, $version is broken off, not ended',
  async ({ format, version }) => {
    const { gateway, stalled, origin } = await startExports();
    const call = getCall(`/api/v1/generations/export?format=${format}`);
    const sent = VERSIONS[version](origin, call, gateway.managementKey);
    await stalled;
    await gateway.drain.stop();
    const { status, text, isWhole } = await sent.came;
    expect([status, isWhole, text.split('gen-many-').length]).toEqual([200, false, 4]);
  },
);

it.each(RPCS)(
  'results of a batch over $protocol, $version end with unavailable, reason shutting_down',
  async ({ protocol, version }) => {
    const world = await startBatchWorld({ env: DRAIN });
    await world.store();
    const { id } = recordOf(await world.submit());
    await world.ended(id);
    world.google.injectError({ when: /alt=media/, until: NEVER });
    const before = world.google.requests.length;
    const call = streamCall(protocol, 'BatchService/StreamBatchResults', { id });
    const { url, managementKey, drain } = world.gateway;
    const sent = VERSIONS[version](new URL(url), call, managementKey);
    const isReading = () => world.google.requests.slice(before).some(({ path }) => /alt=media/.test(path));
    await vi.waitFor(() => expect(isReading()).toBe(true), WAIT);
    await drain.stop();
    expect(toldBy(protocol, true, await sent.came)).toEqual({ ...TOLD, status: 200, code: CODES[protocol] });
  },
);

it('an export whose client has stopped reading is broken off, too', async () => {
  const gateway = await startGateway({ env: DRAIN });
  await addGenerations(gateway.gateway.database, 40_000, gateway);
  const headers = { authorization: `Bearer ${gateway.managementKey}` };
  const request = http.get(`${gateway.rest}/generations/export`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const closed = new Promise((resolve) => response.on('error', () => undefined).on('close', resolve));
  response.pause();
  await gateway.drain.stop();
  response.resume();
  await closed;
  expect([response.statusCode, response.complete]).toEqual([200, false]);
});
