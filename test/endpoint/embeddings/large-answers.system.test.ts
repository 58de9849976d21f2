import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddingModel } from '../../support/catalog.js';
import { EMBEDDING_KEY } from '../../support/fakes/fake-embedding-host.js';
import { startFakeServer } from '../../support/fakes/fake-server.js';
import { caller, recordOf } from '../../support/rest.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';

const MIB = 1024 * 1024;

/** As many inputs as a request may have, with as many numbers as the largest models of OpenAI and Google give. */
const INPUTS = 2_048;
const DIMENSIONS = 3_072;

/** What the largest request may add. */
const MAX_ADDED_BYTES = 300 * MIB;

let server: ServerProcess;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  // One vector in all places: the host is in the process of the test.
  const vector = Array.from({ length: DIMENSIONS }, (_, index) => Math.fround(Math.sin(index + 1) / 55.4));
  const numbers = JSON.stringify(vector);
  const host = await startFakeServer(
    async ({ request: { method }, response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"object":"list","model":"${method}","data":[`);
      for (let index = 0; index < INPUTS; index += 1) {
        const json = `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${numbers}}`;
        if (!response.write(json)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end('],"usage":{"prompt_tokens":2048,"total_tokens":2048}}');
    },
    (end) => void ends.push(end),
  );
  const folder = mkdtempSync(join(tmpdir(), 'byway-embeddings-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const catalog = join(folder, 'catalog.json');
  const providers = [{ slug: 'host', name: 'Host', adapter: 'openai', base_url: `${host.origin}/v1` }];
  const models = [embeddingModel('test/embed', ['host'])];
  writeFileSync(catalog, JSON.stringify({ providers, models }));
  server = await startServerProcess({ BYWAY_CATALOG: catalog, BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' });
  ends.push(() => server.stop());
  const manage = caller({ rest: `http://127.0.0.1:${server.port}/api/v1` }, server.managementKey);
  recordOf(await manage('POST', '/byok', { provider: 'host', key: EMBEDDING_KEY }));
}, 60_000);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** The bytes of the answer, which are not kept, after one for a single input. */
function embed(body: object): Promise<{ readonly status: number | undefined; readonly bytes: number }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    const options = {
      host: '127.0.0.1',
      port: server.port,
      path: '/api/v1/embeddings',
      method: 'POST',
      headers,
    };
    const sent = request(options, (response) => {
      let bytes = 0;
      response.on('data', ({ length }) => {
        bytes += length;
      });
      response.on('end', () => resolve({ status: response.statusCode, bytes }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ model: 'test/embed', ...body }));
  });
}

describe('2,048 inputs of 3,072 numbers', () => {
  const input = Array.from({ length: INPUTS }, (_, index) => `input ${index}`);

  it.each([
    ['float', INPUTS * DIMENSIONS * 15],
    ['base64', INPUTS * DIMENSIONS * 5],
  ])(
    'as %s are answered, and take at most 300 MiB',
    async (encoding_format, atLeast) => {
      server.forgetPeak();
      const before = server.peakBytes();
      const { status, bytes } = await embed({ input, encoding_format });
      const added = server.peakBytes() - before;
      process.stdout.write(`${encoding_format}: ${bytes} bytes, ${Math.round(added / MIB)} MiB\n`);
      expect(status).toBe(200);
      expect(bytes).toBeGreaterThan(atLeast);
      expect(added).toBeLessThan(MAX_ADDED_BYTES);
    },
    60_000,
  );
});
