import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { answerTo, type Bench, bearer, JSON_BODY } from '../bench.js';
import type { Comparison } from '../compare.js';
import type { Load } from '../load.js';
import type { Server } from '../processes.js';

const METHOD = '/byway.v1.KeyService/GetCurrentKey';

/** An empty message in gRPC's framing: not compressed, of length 0. */
const EMPTY_FRAME = new Uint8Array(5);

/**
 * One small unary call over every transport, beside servers that know the answer, and what libraries alone take that
 * look the caller and the key up.
 */
export async function compareRpc(bench: Bench): Promise<Comparison[]> {
  const server = await bench.startByway();
  const headers = bearer(bench.subject.apiKey);
  const json = { method: 'POST', headers: { ...headers, ...JSON_BODY }, body: '{}' } as const;
  const jsonFile = bench.write('key.json', await (await answerTo(server.url + METHOD, json)).text());
  const bodyFile = bench.write('key.bin', await unary(server, headers.authorization));
  const rows = {
    original: join(bench.subject.dataDir, 'byway.db'),
    authorization: headers.authorization,
  };
  const jsonPeer = await bench.startPeer('fastify', { bodyFile: jsonFile });
  const grpcPeer = await bench.startPeer('grpc', { bodyFile, path: METHOD });
  const grpcRow = await bench.startPeer('grpc-row', { ...rows, bodyFile, copy: copyIn(bench, 'grpc') });
  const jsonRow = await bench.startPeer('fastify-row', {
    ...rows,
    bodyFile: jsonFile,
    copy: copyIn(bench, 'json'),
  });
  const connectLoad = (url: string): Load => ({ protocol: 'http', url, ...json });
  const restLoad = (url: string): Load => ({ protocol: 'http', method: 'GET', url, headers });
  const grpcLoad = ({ url }: Server): Load => ({
    protocol: 'grpc',
    method: 'POST',
    url: url + METHOD,
    body: EMPTY_FRAME,
    headers: { ...headers, 'content-type': 'application/grpc', te: 'trailers' },
  });
  const overGrpc = { server, load: grpcLoad(server) };
  const overConnect = { server, load: connectLoad(server.url + METHOD) };
  const overRest = { server, load: restLoad(`${server.url}/api/v1/key`) };
  const besideGrpc = {
    peer: { server: grpcPeer, load: grpcLoad(grpcPeer) },
    peerIs: '@grpc/grpc-js server that sends the same bytes',
  };
  const jsonIs = 'Fastify route that sends the same bytes';
  return [
    { title: 'gRPC unary, GetCurrentKey', byway: overGrpc, ...besideGrpc, aim: 0.6 },
    { title: 'Connect JSON, GetCurrentKey', byway: overConnect, ...besideGrpc, aim: 0.7 },
    { title: 'REST, GetCurrentKey', byway: overRest, ...besideGrpc, aim: 0.8 },
    {
      title: 'Floor of gRPC: node:http2 and better-sqlite3 alone',
      byway: { server: grpcRow, load: grpcLoad(grpcRow) },
      ...besideGrpc,
    },
    {
      title: 'Floor of Connect JSON: Fastify and better-sqlite3 alone',
      byway: { server: jsonRow, load: connectLoad(`${jsonRow.url}/key`) },
      ...besideGrpc,
    },
    {
      title: 'Floor of REST: Fastify and better-sqlite3 alone',
      byway: { server: jsonRow, load: restLoad(`${jsonRow.url}/key`) },
      ...besideGrpc,
    },
    {
      title: 'Connect JSON, GetCurrentKey',
      peerIs: jsonIs,
      byway: overConnect,
      peer: { server: jsonPeer, load: connectLoad(`${jsonPeer.url}/bytes`) },
    },
    {
      title: 'REST, GetCurrentKey',
      peerIs: jsonIs,
      byway: overRest,
      peer: { server: jsonPeer, load: restLoad(`${jsonPeer.url}/bytes`) },
    },
  ];
}

function copyIn({ folder }: Bench, name: string): string {
  return join(folder, `rows-${name}.db`);
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
