import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { answerTo, type Bench, bearer } from '../bench.js';
import type { Comparison } from '../compare.js';
import type { Load } from '../load.js';
import { MODEL_COUNT } from '../subject.js';

/**
 * The whole listing, and the answer that it is unchanged, each beside a route that does nothing else, and what libraries
 * alone take that look the caller and the policy up.
 */
export async function compareModels(bench: Bench): Promise<Comparison[]> {
  const server = await bench.startByway();
  const url = `${server.url}/api/v1/models/user`;
  const headers = bearer(bench.subject.apiKey);
  const answer = await answerTo(url, { headers: { ...headers, 'accept-encoding': 'identity' } });
  const etag = answer.headers.get('etag') ?? '';
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const packed = gzipSync(bytes);
  const files = { plain: bench.write('models.json', bytes), gzip: bench.write('models.gz', packed) };
  const peer = await bench.startPeer('fastify', { bodyFile: files.plain });
  const packedPeer = await bench.startPeer('fastify', { bodyFile: files.gzip });
  const floor = await bench.startPeer('fastify-list', {
    plainFile: files.plain,
    gzipFile: files.gzip,
    original: join(bench.subject.dataDir, 'byway.db'),
    copy: join(bench.folder, 'rows-list.db'),
    ...headers,
  });
  const get = (to: string, sent: Load['headers']): Load => ({
    protocol: 'http',
    method: 'GET',
    url: to,
    headers: sent,
  });
  const kinds = [
    {
      what: `GET /models/user, ${MODEL_COUNT} models, ${Math.round(bytes.length / 1024)} KiB`,
      peerIs: 'Fastify route that sends the same bytes',
      sent: headers,
      beside: { server: peer, load: get(`${peer.url}/bytes`, {}) },
      aim: 0.9,
    },
    {
      what: `GET /models/user, gzip, ${Math.round(packed.length / 1024)} KiB`,
      peerIs: 'Fastify route that sends the same compressed bytes',
      sent: { ...headers, 'accept-encoding': 'gzip' },
      beside: { server: packedPeer, load: get(`${packedPeer.url}/bytes`, {}) },
      aim: 0.9,
    },
    {
      what: 'GET /models/user with If-None-Match: 304',
      peerIs: 'Fastify route that answers 304',
      sent: { ...headers, 'if-none-match': etag },
      beside: { server: peer, load: get(`${peer.url}/unchanged`, {}) },
    },
  ];
  return kinds.flatMap(({ what, peerIs, sent, beside, aim }): Comparison[] => [
    {
      title: what,
      peerIs,
      byway: { server, load: get(url, sent) },
      peer: beside,
      ...(aim !== undefined && { aim }),
    },
    {
      title: `Floor of ${what}: Fastify and better-sqlite3 alone`,
      peerIs,
      byway: { server: floor, load: get(`${floor.url}/list`, sent) },
      peer: beside,
    },
  ]);
}
