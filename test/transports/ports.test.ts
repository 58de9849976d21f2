import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import * as grpc from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { GrpcPeer } from '../server/grpc-transport.js';
import { connectHttp2, stream } from '../server/support.js';
import { scriptedCatalog } from '../support/catalog.js';
import { launchGateway, startGateway } from '../support/gateway.js';

const HEALTH = 'grpc-health-check/proto/health/v1/health.proto';

describe('gRPC health checking of a whole gateway', () => {
  it('is answered to anybody, for the server and for every service', async () => {
    const { url, gateway } = await startGateway();
    const peer = healthPeer(url);
    for (const service of ['', ...gateway.services.map(({ service }) => service.typeName)]) {
      expect(await peer.unary('Check', { service })).toEqual({ status: 'SERVING' });
    }
    const unknown = peer.unary('Check', { service: 'byway.v1.Nothing' });
    await expect(unknown).rejects.toMatchObject({ code: grpc.status.NOT_FOUND });
    peer.close();
  });

  it('is watched until the server ends, with a last status', async () => {
    const { url, stop } = await launchGateway();
    const peer = healthPeer(url);
    const watch = peer.serverStream('Watch', { service: 'byway.v1.KeyService' })[Symbol.asyncIterator]();
    expect((await watch.next()).value).toEqual({ status: 'SERVING' });
    const stopped = stop();
    expect((await watch.next()).value).toEqual({ status: 'NOT_SERVING' });
    await expect(watch.next()).rejects.toMatchObject({ code: grpc.status.UNAVAILABLE });
    await stopped;
    peer.close();
  });
});

describe('one cleartext port', () => {
  it('serves HTTP/1.1, HTTP/2 and gRPC while a stream is open', async () => {
    const { url, rest, apiKey } = await startGateway({ catalog: scriptedCatalog() });
    const authorization = `Bearer ${apiKey}`;
    const body = { model: 'demo/slow-20', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
    const chat = await fetch(`${rest}/chat/completions`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const session = connectHttp2(url);
    const peer = healthPeer(url);
    const [first, second, third] = await Promise.all([
      fetch(`${rest}/models/user`, { headers: { authorization } }).then((answer) => answer.json()),
      stream(session, { ':path': '/api/v1/models/user', authorization }),
      peer.unary('Check', { service: '' }),
    ]);
    expect(JSON.parse(second.body)).toEqual(first);
    expect(third).toEqual({ status: 'SERVING' });
    expect(await chat.text()).toMatch(/data: \[DONE\]\n\n$/);
    session.close();
    peer.close();
  });

  it('disconnects an HTTP/2 client that is refused while it still sends', async () => {
    const { url } = await startGateway();
    const session = connectHttp2(url);
    const sending = session.request({
      ':method': 'POST',
      ':path': '/byway.v1.KeyService/CreateKey',
      'content-type': 'application/grpc',
    });
    const piece = Buffer.alloc(64 * 1024);
    for (let sent = 0; sent < 32; sent += 1) sending.write(piece);
    const [response] = await once(sending, 'response');
    expect(response).toMatchObject({ 'grpc-status': '16' });
    sending.resume().end();
    await new Promise((resolve) => sending.once('close', resolve));
    session.close();
  });
});

function healthPeer(url: string): GrpcPeer {
  return new GrpcPeer(new URL(url).host, HEALTH, 'grpc.health.v1.Health');
}
