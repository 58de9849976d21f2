import { join } from 'node:path';
import type { Bench } from '../bench.js';
import type { Comparison } from '../compare.js';
import { send } from '../load.js';
import { byokChat, providerChat } from './byok.js';

/**
 * A chat in one piece over a BYOK key, everything on, beside a proxy that does nothing else, beside another gateway,
 * and beside what its own libraries take to write the same rows.
 */
export async function compareProxy(bench: Bench): Promise<Comparison[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('undici-proxy', { origin: provider.url });
  const portkey = await bench.startPortkey();
  const byway = { server, load: byokChat(server, apiKey) };
  await send(byway.load, { requests: 32 });
  const databases = {
    original: join(bench.subject.dataDir, 'byway.db'),
    copy: join(bench.folder, 'rows.db'),
  };
  const libraries = await bench.startPeer('libraries', { origin: provider.url, ...databases });
  const routing = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${provider.url}/v1` };
  return [
    {
      title: 'POST /chat/completions on a BYOK key',
      peerIs: 'node:http + undici proxy that parses and forwards',
      byway,
      peer: { server: proxy, load: providerChat(proxy) },
      aim: 0.5,
    },
    {
      title: 'POST /chat/completions on a BYOK key',
      peerIs: '@portkey-ai/gateway, whole answers',
      byway,
      peer: { server: portkey, load: providerChat(portkey, routing) },
      aim: 8,
    },
    {
      title: 'POST /chat/completions on a BYOK key',
      peerIs: 'Fastify + undici + better-sqlite3: the same rows, and nothing else',
      byway,
      peer: { server: libraries, load: providerChat(libraries) },
    },
  ];
}
