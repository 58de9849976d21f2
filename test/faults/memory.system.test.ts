import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../support/catalog.js';
import { bodyOf, caller } from '../support/rest.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';

const MIB = 1024 * 1024;
const STREAMS = 200;

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'byway-memory-'));
  const catalog = {
    providers: [demoProvider('demo')],
    models: [demoModel('demo/slow', [{ provider: 'demo', upstream_model_id: 'slow-10' }])],
  };
  writeFileSync(join(folder, 'catalog.json'), JSON.stringify(catalog));
  server = await startServerProcess({
    BYWAY_CATALOG: join(folder, 'catalog.json'),
    BYWAY_LOG_LEVEL: 'silent',
    BYWAY_ADMIN_RATE_PER_MINUTE: '0',
  });
}, 60_000);

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const rest = () => ({ rest: `http://127.0.0.1:${server.port}/api/v1` });
const chat = (body: Buffer | undefined) => caller(rest(), server.apiKey)('POST', '/chat/completions', body);

/** 200 streams at once; every second client leaves in the middle. */
async function round(): Promise<number> {
  const done = await Promise.all(
    Array.from({ length: STREAMS }, async (_, index) => {
      const leaving = new AbortController();
      const answer = await fetch(`${rest().rest}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'demo/slow',
          stream: true,
          messages: [{ role: 'user', content: 'word '.repeat(40) }],
        }),
        signal: leaving.signal,
      });
      const reader = answer.body?.getReader();
      if (index % 2 === 0) return (await whole(reader)).includes('[DONE]');
      await reader?.read();
      leaving.abort();
      return false;
    }),
  );
  return done.filter(Boolean).length;
}

async function whole(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read())
    pieces.push(piece.value);
  return Buffer.concat(pieces).toString();
}

describe('memory is bounded', { timeout: 120_000 }, () => {
  it('200 slow streams at once, over and over: the peak does not grow', async () => {
    for (let count = 0; count < 4; count++) expect(await round()).toBe(STREAMS / 2);
    const held = server.peakBytes();
    for (let count = 0; count < 4; count++) expect(await round()).toBe(STREAMS / 2);
    expect(server.peakBytes()).toBeLessThan(held + 96 * MIB);
  });

  it('requests of 30 MiB that are refused leave nothing behind', async () => {
    const content = 'word '.repeat(6 * MIB);
    const [unknown, broken] = [{ model: 'no/such' }, { max_tokens: 0 }].map((members) =>
      Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }], ...members })),
    );
    const refuse = async (body: Buffer | undefined) => {
      const answer = await chat(body);
      expect(answer.status).toBe(400);
      return bodyOf(answer).error;
    };
    for (let count = 0; count < 4; count++) await refuse(unknown);
    const held = server.peakBytes();
    for (let count = 0; count < 16; count++) await refuse(count % 2 === 0 ? unknown : broken);
    expect(server.peakBytes()).toBeLessThan(held + 256 * MIB);
  });
});
