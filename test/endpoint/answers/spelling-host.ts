/** A gateway in front of one server that is a host of every kind, and answers with the bytes that a test says. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as hop } from 'node:timers/promises';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY as BEDROCK_KEY } from '../../support/fakes/fake-bedrock.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { launchGateway } from '../../support/gateway.js';
import { caller, recordOf } from '../../support/rest.js';
import type { Spelled } from './spelled.js';

export const HOSTS = ['chat', 'messages', 'gemini', 'converse'] as const;
export type Host = (typeof HOSTS)[number];

const PROVIDERS = {
  chat: { adapter: 'openai', model: 'm', path: '/v1' },
  messages: { adapter: 'anthropic', model: 'claude-3-haiku-m', path: '' },
  gemini: { adapter: 'google-vertex', model: 'gemini-2.5-flash', path: '' },
  converse: { adapter: 'amazon-bedrock', model: 'amazon.nova-pro-v1:0', path: '' },
} as const;

/** Whoever starts it stops it. */
export async function launchSpellingHost() {
  let answer: Spelled | undefined;
  let cut: (left: number) => number = (left) => left;
  const server = createServer(async (request, response) => {
    request.resume();
    await once(request, 'end');
    response.writeHead(200, { 'content-type': answer?.type ?? 'text/plain' });
    const { bytes = Buffer.alloc(0) } = answer ?? {};
    for (let at = 0; at < bytes.length; ) {
      const length = cut(bytes.length - at);
      response.write(bytes.subarray(at, at + length));
      at += length;
      await hop();
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let stopVertex = async () => {};
  const vertex = await startFakeVertex(Date.now, (end) => {
    stopVertex = end;
  });
  const keys = {
    chat: 'sk-spelling-0123456789abcdef',
    messages: 'sk-ant-spelling-0123456789abcdef',
    gemini: vertex.serviceAccount(),
    converse: BEDROCK_KEY,
  };
  const gateway = await launchGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0' },
    catalog: {
      providers: HOSTS.map((slug) => ({
        slug,
        name: slug,
        adapter: PROVIDERS[slug].adapter,
        base_url: `${origin}${PROVIDERS[slug].path}`,
      })),
      models: HOSTS.map((slug) =>
        demoModel(`${slug}/m`, [{ provider: slug, upstream_model_id: PROVIDERS[slug].model }], {
          reasoning: { mandatory: false, supports_max_tokens: false },
        }),
      ),
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  for (const slug of HOSTS) recordOf(await manage('POST', '/byok', { provider: slug, key: keys[slug] }));
  return {
    ...gateway,
    /** What the host answers with from now on, in pieces of so many bytes of what is left. */
    answer(next: Spelled, pieceOf: (left: number) => number) {
      answer = next;
      cut = pieceOf;
    },
    async stop() {
      await gateway.stop();
      server.close();
      server.closeAllConnections();
      await stopVertex();
    },
  };
}
