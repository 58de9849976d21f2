import type { Bench } from '../bench.js';
import type { Comparison } from '../compare.js';
import { byokChat, providerChat } from './byok.js';

/** Streams over a BYOK key as fast as they come, beside a proxy that parses each event and writes it anew. */
export async function compareFastStreams(bench: Bench): Promise<Comparison[]> {
  const { provider, apiKey } = bench.subject;
  const server = await bench.startByway();
  const proxy = await bench.startPeer('event-proxy', { origin: provider.url });
  const portkey = await bench.startPortkey();
  const routing = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${provider.url}/v1` };
  return [32, 500].flatMap((pieces) => {
    const title = `POST /chat/completions streamed on a BYOK key, ${pieces} events`;
    const byway = { server, load: byokChat(server, apiKey, true, pieces * 1000) };
    const chat = (peer: typeof proxy, headers = {}) => providerChat(peer, headers, true, pieces * 1000);
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
    ];
  });
}
