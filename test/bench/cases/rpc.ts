import * as grpc from '@grpc/grpc-js';
import { answerTo, type Bench, bearer, JSON_BODY } from '../bench.js';
import type { Comparison } from '../compare.js';
import type { Load } from '../load.js';
import type { Server } from '../processes.js';

const METHOD = '/byway.v1.KeyService/GetCurrentKey';

/** An empty message in gRPC's framing: not compressed, of length 0. */
const EMPTY_FRAME = new Uint8Array(5);

/** One small unary call over the RPC transports, beside servers that know the answer. */
export async function compareRpc(bench: Bench): Promise<Comparison[]> {
  const server = await bench.startByway();
  const headers = bearer(bench.subject.apiKey);
  const json = { method: 'POST', headers: { ...headers, ...JSON_BODY }, body: '{}' } as const;
  const answer = await (await answerTo(server.url + METHOD, json)).text();
  const jsonPeer = await bench.startPeer('fastify', { bodyFile: bench.write('key.json', answer) });
  const message = await unary(server, headers.authorization);
  const grpcPeer = await bench.startPeer('grpc', { bodyFile: bench.write('key.bin', message), path: METHOD });
  const jsonLoad = (url: string): Load => ({ protocol: 'http', url, ...json });
  const grpcLoad = (url: string): Load => ({
    protocol: 'grpc',
    method: 'POST',
    url: url + METHOD,
    body: EMPTY_FRAME,
    headers: { ...headers, 'content-type': 'application/grpc', te: 'trailers' },
  });
  return [
    {
      title: 'Connect JSON, GetCurrentKey',
      peerIs: 'Fastify route that parses the JSON and sends the same bytes',
      byway: { server, load: jsonLoad(server.url + METHOD) },
      peer: { server: jsonPeer, load: jsonLoad(`${jsonPeer.url}/bytes`) },
    },
    {
      title: 'gRPC unary, GetCurrentKey',
      peerIs: '@grpc/grpc-js server that sends the same bytes',
      byway: { server, load: grpcLoad(server.url) },
      peer: { server: grpcPeer, load: grpcLoad(grpcPeer.url) },
    },
  ];
}

/** The answer of the method, serialised. */
function unary({ port }: Server, authorization: string): Promise<Uint8Array> {
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  metadata.set('authorization', authorization);
  const asIs = (bytes: Buffer) => bytes;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(METHOD, asIs, asIs, Buffer.alloc(0), metadata, (error, bytes) => {
      client.close();
      if (error === null && bytes !== undefined) resolve(bytes);
      else reject(error ?? new Error('an answer without a message'));
    });
  });
}
