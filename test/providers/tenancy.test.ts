import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SignalSource } from '../../src/base/signal.js';
import { UpstreamFailure } from '../../src/inference/ports/failure.js';
import { createHttp } from '../../src/providers/http/http.js';
import { createInlineMedia } from '../../src/providers/http/inline-media.js';
import { readText } from '../../src/providers/http/read-body.js';
import { waitFor } from '../support/wait-for.js';

/** A host that answers `/slow` only when it is told to, and anything else at once. */
async function startHost() {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'image/png');
    if (request.url === '/slow') held.push(response);
    else response.end('pixel');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, held };
}

/** A client by which an account may have one request in flight, and what sends one. */
function startHttp(origin: string) {
  const http = createHttp(undefined, 1);
  onTestFinished(() => http.close());
  const get = (accountId: string, path: string, more: { isByok?: boolean; mayWait?: boolean } = {}) => {
    const signal = new SignalSource();
    const tenancy = { accountId, isByok: false, mayWait: false, ...more };
    const url = new URL(`${origin}${path}`);
    const answer = http.send({ method: 'GET', url, headers: {}, body: null, signal, tenancy });
    return { answer, signal };
  };
  return { http, get };
}

const NO_PLACE = { kind: 'rate_limit', error: 'in_flight_limit', isPenalised: false, retryAfterMs: 5_000 };

describe('requests to a host', () => {
  it('are limited for each account, over shared capacity and with own keys apart', async () => {
    const { origin, held } = await startHost();
    const { get } = startHttp(origin);
    const slow = [get('a', '/slow'), get('a', '/slow', { isByok: true })];
    await waitFor(() => expect(held).toHaveLength(2));
    await expect(get('a', '/').answer).rejects.toMatchObject(NO_PLACE);
    await expect(get('a', '/', { isByok: true }).answer).rejects.toMatchObject(NO_PLACE);
    for (const isByok of [false, true]) {
      const { body } = await get('b', '/', { isByok }).answer;
      expect(await readText(body, 100)).toMatchObject({ text: 'pixel' });
    }
    for (const response of held) response.end();
    for (const { answer } of slow) await readText((await answer).body, 100);
    expect((await get('a', '/').answer).status).toBe(200);
  });

  it('that wait are sent when one has ended, and are dropped when they are given up', async () => {
    const { origin, held } = await startHost();
    const { get } = startHttp(origin);
    const first = get('a', '/slow');
    await waitFor(() => expect(held).toHaveLength(1));
    const given = get('a', '/slow', { mayWait: true });
    const waiting = get('a', '/', { mayWait: true });
    given.signal.abort(new Error('left'));
    await expect(given.answer).rejects.toMatchObject(NO_PLACE);
    first.signal.abort(new Error('left too'));
    await expect(first.answer).rejects.toThrow('left too');
    expect((await waiting.answer).status).toBe(200);
    expect(held).toHaveLength(1);
  });

  it('that fail or are aborted at any time give their place back', async () => {
    const { origin, held } = await startHost();
    const { get, http } = startHttp(origin);
    for (let round = 0; round < 20; round += 1) {
      const { answer, signal } = get('a', '/slow');
      if (round % 2 === 0) await waitFor(() => expect(held).toHaveLength(round / 2 + 1));
      else signal.abort(new Error('at once'));
      signal.abort(new Error('left'));
      await expect(answer).rejects.toThrow();
      if (round % 2 === 1) held.length = Math.ceil(round / 2);
      await waitFor(async () => readText((await get('a', '/').answer).body, 100));
    }
    const dead = { tenancy: { accountId: 'a', isByok: false, mayWait: false }, signal: new SignalSource() };
    for (let round = 0; round < 3; round += 1) {
      const url = new URL('http://127.0.0.1:1/');
      const failing = http.send({ method: 'GET', url, headers: {}, body: null, ...dead });
      await expect(failing).rejects.toMatchObject({ error: 'connect' });
    }
  });
});

describe('media that requests name by URL', () => {
  const naming = (url: string) => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  });

  it('are fetched for one account while another one’s never come from the same host', async () => {
    const { origin, held } = await startHost();
    const { http, get } = startHttp(origin);
    const inline = createInlineMedia({ guardedHttp: http, allowHttp: true });
    const fetch = (accountId: string) => ({
      signal: new SignalSource(),
      tenancy: { accountId, isByok: false, mayWait: false },
    });
    const hostile = fetch('hostile');
    const never = inline(naming(`${origin}/slow`), hostile).catch((thrown: unknown) => thrown);
    await waitFor(() => expect(held).toHaveLength(1));
    const second = fetch('hostile');
    const waiting = inline(naming(`${origin}/one.png`), second).catch((thrown: unknown) => thrown);
    const { messages } = await inline(naming(`${origin}/two.png`), fetch('b'));
    expect(JSON.stringify(messages)).toContain('data:image/png;base64,');
    // The provider's own places are others.
    expect((await get('hostile', '/').answer).status).toBe(200);
    second.signal.abort(new UpstreamFailure('too late', { kind: 'upstream_error', error: 'timeout' }));
    expect(await waiting).toMatchObject({ error: 'in_flight_limit' });
    hostile.signal.abort(new Error('over'));
    await never;
  });
});
