import type { Bench } from '../bench.js';
import type { Comparison } from '../compare.js';
import { byokChat, providerChat } from './byok.js';

/** A chat in one piece over a BYOK key, everything on, beside a proxy that does nothing else and beside another gateway. */
export async function compareProxy(bench: Bench): Promise<Comparison[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('undici-proxy', { origin: provider.url });
  const portkey = await bench.startPortkey();
  const byway = { server, load: byokChat(server, apiKey) };
  const routing = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${provider.url}/v1` };
  return [
    {
      title: 'POST /chat/completions on a BYOK key',
      peerIs: 'node:http + undici proxy that parses and forwards',
      ...{ byway, peer: { server: proxy, load: providerChat(proxy) }, aim: 0.5 },
    },
    {
      title: 'POST /chat/completions on a BYOK key',
      peerIs: '@portkey-ai/gateway, whole answers',
      ...{ byway, peer: { server: portkey, load: providerChat(portkey, routing) }, aim: 8 },
    },
  ];
}
