import { type Bench, bearer, JSON_BODY } from '../bench.js';
import { BYOK_MODEL } from '../catalog.js';
import type { Comparison } from '../compare.js';
import { type Load, send } from '../load.js';

/** The embedding of one text over a BYOK key, beside a proxy that parses the request and forwards both as they are. */
export async function compareEmbeddings(bench: Bench): Promise<Comparison[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('undici-proxy', { origin: provider.url });
  await send(embeddingAt(`${server.url}/api/v1`, apiKey), { requests: 32 });
  return (['float', 'base64'] as const).map((encoding) => ({
    title: `POST /embeddings of one text on a BYOK key, as ${encoding}`,
    peerIs: 'node:http + undici proxy that parses and forwards',
    byway: { server, load: embeddingAt(`${server.url}/api/v1`, apiKey, encoding) },
    peer: { server: proxy, load: embeddingAt(`${proxy.url}/v1`, 'sk-bench') },
  }));
}

function embeddingAt(root: string, key: string, encoding_format = 'float'): Load {
  const body = JSON.stringify({ model: BYOK_MODEL, input: INPUT, encoding_format });
  return {
    protocol: 'http',
    method: 'POST',
    url: `${root}/embeddings`,
    headers: { ...bearer(key), ...JSON_BODY },
    body,
  };
}

const INPUT = 'The quick brown fox jumps over the lazy dog, and then it does so again. '.repeat(4);
