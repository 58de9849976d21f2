import http2, { type IncomingHttpHeaders } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { enveloped } from '../../support/raw-rpc.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

/** Served as a stream, and the ordinary way: the charset alone decides. */
const WAYS = ['application/grpc', 'application/grpc; charset=utf-8'];

interface Exchange {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: string;
}

function call(path: string, body: Uint8Array, headers: http2.OutgoingHttpHeaders): Promise<Exchange> {
  const session = http2.connect(gateway.url);
  const stream = session.request({ ':method': 'POST', ':path': path, te: 'trailers', ...headers });
  return new Promise((resolve, reject) => {
    let [received, trailers]: [IncomingHttpHeaders, IncomingHttpHeaders] = [{}, {}];
    const pieces: Buffer[] = [];
    stream
      .on('response', (answer) => {
        received = answer;
      })
      .on('trailers', (answer) => {
        trailers = answer;
      })
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('error', reject)
      .on('close', () => {
        session.close();
        const { date: _date, 'content-type': _type, ...headers } = received;
        // They differ from call to call.
        for (const name of ['x-ratelimit-remaining', 'x-ratelimit-reset'])
          if (headers[name] !== undefined) headers[name] = 'a number';
        resolve({ headers, trailers, body: Buffer.concat(pieces).toString('base64') });
      });
    stream.end(body);
  });
}

describe('a unary call of gRPC', () => {
  const GET_KEY = '/byway.v1.KeyService/GetCurrentKey';
  const CREATE_KEY = '/byway.v1.KeyService/CreateKey';
  const empty = enveloped(new Uint8Array());

  it.each([
    ['that succeeds', GET_KEY, empty, () => gateway.apiKey],
    ['that nobody makes', GET_KEY, empty, () => undefined],
    ['of a key that is unknown', GET_KEY, empty, () => `bw-v1-${'0'.repeat(64)}`],
    ['that its caller may not make', GET_KEY, empty, () => gateway.managementKey],
    ['that breaks a rule', CREATE_KEY, empty, () => gateway.managementKey],
    ['without a message', CREATE_KEY, Buffer.alloc(0), () => gateway.managementKey],
    ['that is not a message', CREATE_KEY, enveloped(Buffer.from([0xff])), () => gateway.managementKey],
    ['that is too large', GET_KEY, enveloped(Buffer.alloc(64 * 1024)), () => gateway.apiKey],
  ])('%s is answered the same, however its content type is spelled', async (_, path, body, secret) => {
    const bearer = secret();
    const exchanges = WAYS.map((type) =>
      call(path, body, {
        'content-type': type,
        'x-request-id': 'the-same',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      }),
    );
    const [direct, ordinary] = await Promise.all(exchanges);
    expect(direct).toEqual(ordinary);
    expect(direct?.headers).toMatchObject({
      'x-request-id': 'the-same',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is counted with its method and transport', async () => {
    const count = async () => {
      const metrics = await fetch(`${gateway.url}/metrics`, {
        headers: { authorization: `Bearer ${gateway.operatorKey}` },
      });
      const line =
        /byway_http_requests_total\{transport="grpc",operation="GetCurrentKey",method="POST",status="200",door="grpc"\} (\d+)/;
      return Number(line.exec(await metrics.text())?.[1] ?? 0);
    };
    const before = await count();
    const authorization = `Bearer ${gateway.apiKey}`;
    for (const type of WAYS) await call(GET_KEY, empty, { 'content-type': type, authorization });
    expect(await count()).toBe(before + WAYS.length);
  });
});
