import { gzipSync } from 'node:zlib';
import { answerTo, type Bench, bearer } from '../bench.js';
import type { Comparison } from '../compare.js';
import type { Load } from '../load.js';
import { MODEL_COUNT } from '../subject.js';

/** The whole listing, and the answer that it is unchanged, each beside a route that does nothing else. */
export async function compareModels(bench: Bench): Promise<Comparison[]> {
  const server = await bench.startByway();
  const url = `${server.url}/api/v1/models/user`;
  const headers = bearer(bench.subject.apiKey);
  const answer = await answerTo(url, { headers: { ...headers, 'accept-encoding': 'identity' } });
  const etag = answer.headers.get('etag') ?? '';
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const peer = await bench.startPeer('fastify', { bodyFile: bench.write('models.json', bytes) });
  const packed = gzipSync(bytes);
  const packedPeer = await bench.startPeer('fastify', { bodyFile: bench.write('models.gz', packed) });
  const get = (to: string, sent: Load['headers']): Load => ({
    protocol: 'http',
    method: 'GET',
    url: to,
    headers: sent,
  });
  return [
    {
      title: `GET /models/user, ${MODEL_COUNT} models, ${Math.round(bytes.length / 1024)} KiB`,
      peerIs: 'Fastify route that sends the same bytes',
      byway: { server, load: get(url, headers) },
      peer: { server: peer, load: get(`${peer.url}/bytes`, {}) },
      aim: 0.9,
    },
    {
      title: `GET /models/user, gzip, ${Math.round(packed.length / 1024)} KiB`,
      peerIs: 'Fastify route that sends the same compressed bytes',
      byway: { server, load: get(url, { ...headers, 'accept-encoding': 'gzip' }) },
      peer: { server: packedPeer, load: get(`${packedPeer.url}/bytes`, {}) },
      aim: 0.9,
    },
    {
      title: 'GET /models/user with If-None-Match: 304',
      peerIs: 'Fastify route that answers 304',
      byway: { server, load: get(url, { ...headers, 'if-none-match': etag }) },
      peer: { server: peer, load: get(`${peer.url}/unchanged`, {}) },
    },
  ];
}
