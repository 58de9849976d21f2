import http from 'node:http';
import http2 from 'node:http2';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ExportFormat } from '../../../gen/byway/v1/common_pb.js';
import { GenerationService } from '../../../gen/byway/v1/generations_pb.js';
import { EXPORT_PAGE, type GenerationStore } from '../../../src/inference/ports/generation.js';
import { databaseUnavailable } from '../../../src/store/engine/unavailable.js';
import { launchGateway } from '../../support/gateway.js';
import { addGenerations } from '../../support/many-generations.js';
import { bodyOf, caller } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
beforeAll(async () => {
  gateway = await launchGateway({ env: { BYWAY_ADMIN_RATE_PER_MINUTE: '0' } });
});
afterAll(() => gateway.stop());

/** What an export has read, and whether it still goes on. */
interface Watch {
  pages: number;
  hasEnded: boolean;
}

/** Watches the store's exports until the test ends; the page with this number fails. */
function watchExports(failsAt = Number.POSITIVE_INFINITY): Watch {
  const watch = { pages: 0, hasEnded: false };
  const store: GenerationStore = gateway.gateway.stores.generations;
  const read = store.export.bind(store);
  const spy = vi.spyOn(store, 'export').mockImplementation(async function* (accountId, filter) {
    try {
      for await (const page of read(accountId, filter)) {
        watch.pages += 1;
        if (watch.pages === failsAt) throw databaseUnavailable(new Error('a test'));
        yield page;
      }
    } finally {
      watch.hasEnded = true;
    }
  });
  onTestFinished(() => spy.mockRestore());
  return watch;
}

/** Resolves when the count has not grown for a while. */
async function settled(watch: Watch): Promise<number> {
  for (let before = -1; before !== watch.pages; ) {
    before = watch.pages;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return watch.pages;
}

describe('an export that is not read to its end', () => {
  /** Twice as many as sockets hold. */
  const RECORDS = 40_000;
  const PAGES = RECORDS / EXPORT_PAGE;
  beforeAll(() => addGenerations(gateway.gateway.database, RECORDS, gateway), 120_000);

  const headers = () => ({ authorization: `Bearer ${gateway.managementKey}` });
  const overGrpc = () => createClient(GenerationService, createGrpcTransport({ baseUrl: gateway.url }));
  const overConnect = () =>
    createClient(GenerationService, createConnectTransport({ baseUrl: gateway.url, httpVersion: '1.1' }));

  function get(query = ''): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const url = `${gateway.rest}/generations/export${query}`;
      http.get(url, { headers: headers(), agent: false }, resolve).on('error', reject);
    });
  }

  it('waits for its client, and goes on with it', async () => {
    const watch = watchExports();
    const response = await get('?format=csv');
    expect(await settled(watch)).toBeLessThan(PAGES);
    let lines = 0;
    // A piece may end between the two characters of a line's end.
    for await (const piece of response) lines += String(piece).split('\n').length - 1;
    expect([lines, watch.hasEnded]).toEqual([RECORDS + 1, true]);
  }, 60_000);

  it('ends when its client leaves', async () => {
    const watch = watchExports();
    const response = await get();
    await settled(watch);
    response.destroy();
    await expect.poll(() => watch.hasEnded, { timeout: 10_000 }).toBe(true);
    expect(watch.pages).toBeLessThan(PAGES);
  }, 60_000);

  it.each([
    ['gRPC', overGrpc],
    ['Connect', overConnect],
  ])(
    'over %s waits for its client, and ends when that leaves',
    async (_, connect) => {
      const watch = watchExports();
      const leaving = new AbortController();
      const records = connect().exportGenerations({}, { headers: headers(), signal: leaving.signal });
      const first = await records[Symbol.asyncIterator]().next();
      expect(first.value?.id).toMatch(/^gen-many-/);
      expect(await settled(watch)).toBeLessThan(PAGES);
      leaving.abort();
      await expect.poll(() => watch.hasEnded, { timeout: 10_000 }).toBe(true);
      expect(watch.pages).toBeLessThan(PAGES);
    },
    60_000,
  );

  it('ends at the deadline of its call', async () => {
    const watch = watchExports();
    const records = overGrpc().exportGenerations({}, { headers: headers(), timeoutMs: 1_000 });
    const read = async () => {
      for await (const { id } of records) {
        expect(id).toBeDefined();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await expect(read()).rejects.toThrow(/deadline_exceeded/);
    await expect.poll(() => watch.hasEnded, { timeout: 10_000 }).toBe(true);
  }, 60_000);

  it.each(['csv', 'jsonl'])('and fails midway does not look complete, as %s', async (format) => {
    watchExports(4);
    const response = await get(`?format=${format}`);
    expect(response.statusCode).toBe(200);
    const read = async () => {
      for await (const piece of response) expect(piece.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toThrow(/aborted/);
  });

  it('and fails midway does not look complete over HTTP/2', async () => {
    watchExports(4);
    const session = http2.connect(gateway.url);
    onTestFinished(() => session.close());
    const stream = session.request({ ':path': '/api/v1/generations/export', ...headers() });
    const outcome = new Promise((resolve) => {
      stream.on('error', (error) => resolve(error.message));
      stream.on('end', () => resolve('complete'));
    });
    stream.resume();
    expect(await outcome).toMatch(/closed with error code/);
  });

  it('and fails midway is an error of the call', async () => {
    for (const client of [overGrpc(), overConnect()]) {
      const watch = watchExports(4);
      const read = async () => {
        for await (const { id } of client.exportGenerations({}, { headers: headers() })) {
          expect(id).toBeDefined();
        }
      };
      await expect(read()).rejects.toThrow(/unavailable/);
      expect(watch.pages).toBe(4);
      vi.restoreAllMocks();
    }
  });

  it('and fails at once is an ordinary error', async () => {
    watchExports(1);
    const answer = await caller(gateway, gateway.managementKey)('GET', '/generations/export?format=csv');
    expect([answer.status, answer.headers['content-disposition']]).toEqual([503, undefined]);
    expect(bodyOf(answer)).toMatchObject({ error: { metadata: { reason: 'database_unavailable' } } });
  });

  it('over RPC is messages, whatever its format', async () => {
    const leaving = new AbortController();
    const options = { headers: headers(), signal: leaving.signal };
    const records = overGrpc().exportGenerations({ format: ExportFormat.CSV }, options);
    const first = await records[Symbol.asyncIterator]().next();
    expect(first.value).toMatchObject({
      id: expect.stringMatching(/^gen-many-/),
      model: expect.stringMatching(/^test\//),
    });
    leaving.abort();
  });
});
