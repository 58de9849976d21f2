import { answerTo, type Bench, bearer, JSON_BODY } from '../bench.js';
import type { Comparison } from '../compare.js';
import type { Load } from '../load.js';
import type { Server } from '../processes.js';

const SHORT = 'Hello, how are you today?';
const LONG = 'The quick brown fox jumps over the lazy dog, and then it does so again. '.repeat(6);

/**
 * A chat over the demo provider, in one piece and streamed, beside a server that parses the body and knows the
 * answer.
 */
export async function compareChat(bench: Bench): Promise<Comparison[]> {
  const server = await bench.startByway();
  const bodies = { whole: body(SHORT, false), streamed: body(LONG, true) };
  const whole = await textOf(bench, server, bodies.whole);
  const streamed = await textOf(bench, server, bodies.streamed);
  const peer = await bench.startPeer('http', {
    bodyFile: bench.write('chat.json', whole),
    streamFile: bench.write('chat.txt', streamed),
  });
  const compared = (title: string, peerIs: string, sent: string): Comparison => ({
    title,
    peerIs,
    byway: { server, load: chatLoad(server, bench.subject.apiKey, sent) },
    peer: { server: peer, load: { ...chatLoad(server, '', sent), url: peer.url } },
  });
  return [
    compared(
      'POST /chat/completions, demo',
      'node:http route that parses the JSON and sends the same bytes',
      bodies.whole,
    ),
    compared(
      `POST /chat/completions streamed, ${streamed.split('\n\n').length - 1} events`,
      'node:http route that sends the same events, one a turn',
      bodies.streamed,
    ),
  ];
}

/** A short chat in one piece, the same every time. */
export function shortChat(server: Server, apiKey: string): Load {
  return chatLoad(server, apiKey, body(SHORT, false));
}

function chatLoad(server: Server, apiKey: string, sent: string): Load {
  const headers = { ...bearer(apiKey), ...JSON_BODY };
  return { protocol: 'http', method: 'POST', url: chatUrl(server), headers, body: sent };
}

function body(content: string, stream: boolean): string {
  return JSON.stringify({ model: 'demo/echo', messages: [{ role: 'user', content }], stream });
}

function chatUrl({ url }: Server): string {
  return `${url}/api/v1/chat/completions`;
}

async function textOf(bench: Bench, server: Server, sent: string): Promise<string> {
  const headers = { ...bearer(bench.subject.apiKey), ...JSON_BODY };
  return (await answerTo(chatUrl(server), { method: 'POST', headers, body: sent })).text();
}
