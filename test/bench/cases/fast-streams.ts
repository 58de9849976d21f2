import { join } from 'node:path';
import type { Bench } from '../bench.js';
import type { Comparison } from '../compare.js';
import { send } from '../load.js';
import {
  byokChat,
  byokMessages,
  byokResponses,
  providerChat,
  providerMessages,
  providerResponses,
} from './byok.js';

const FLOOR = 'Fastify + undici + better-sqlite3: the same rows, each event parsed, and nothing else';

/** Streams over a BYOK key as fast as they come, beside a proxy that parses each event and writes it anew. */
export async function compareFastStreams(bench: Bench): Promise<Comparison[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('event-proxy', { origin: provider.url });
  const portkey = await bench.startPortkey();
  await send(byokChat(server, apiKey), { requests: 32 });
  const databases = {
    original: join(bench.subject.dataDir, 'byway.db'),
    copy: join(bench.folder, 'stream-rows.db'),
  };
  const libraries = await bench.startPeer('libraries', { origin: provider.url, ...databases });
  const routing = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${provider.url}/v1` };
  return [32, 500].flatMap((pieces) => {
    const maxTokens = pieces * 1000;
    const title = `POST /chat/completions streamed on a BYOK key, ${pieces} events`;
    const responsesTitle = `POST /responses streamed natively on a BYOK key, ${pieces} events`;
    const byway = { server, load: byokChat(server, apiKey, true, maxTokens) };
    const responses = { server, load: byokResponses(server, apiKey, maxTokens) };
    const chat = (peer: typeof proxy, headers = {}) => providerChat(peer, headers, true, maxTokens);
    return [
      {
        title,
        peerIs: 'node:http + undici proxy that parses each event and writes it anew',
        byway,
        peer: { server: proxy, load: chat(proxy) },
        aim: 0.8,
      },
      {
        title,
        peerIs: '@portkey-ai/gateway, streams',
        byway,
        peer: { server: portkey, load: chat(portkey, routing) },
        aim: 3,
      },
      {
        title,
        peerIs: FLOOR,
        byway,
        peer: { server: libraries, load: chat(libraries) },
      },
      {
        title: `POST /messages streamed natively on a BYOK key, ${pieces} events`,
        peerIs: 'node:http + undici proxy that parses each event and writes it anew',
        byway: { server, load: byokMessages(server, apiKey, maxTokens) },
        peer: { server: proxy, load: providerMessages(proxy, maxTokens) },
        aim: 0.8,
      },
      {
        title: responsesTitle,
        peerIs: 'node:http + undici proxy that parses each event and writes it anew',
        byway: responses,
        peer: { server: proxy, load: providerResponses(proxy, maxTokens) },
        aim: 0.8,
      },
      {
        title: responsesTitle,
        peerIs: FLOOR,
        byway: responses,
        peer: { server: libraries, load: providerResponses(libraries, maxTokens) },
      },
    ];
  });
}
