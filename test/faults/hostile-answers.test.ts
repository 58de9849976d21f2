import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerShape, ScriptedAnswer } from '../bench/worst/answer-shape.js';
import { answerShapes } from '../bench/worst/answer-shapes.js';
import { demoModel } from '../support/catalog.js';
import { serviceAccount } from '../support/fakes/fake-vertex/account.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { type Call, caller, recordOf } from '../support/rest.js';

const PROVIDERS = [
  { slug: 'openai', adapter: 'openai', model: 'gpt-x' },
  { slug: 'azure', adapter: 'azure', model: 'gpt-x' },
  { slug: 'anthropic', adapter: 'anthropic', model: 'claude-x' },
  { slug: 'bedrock', adapter: 'amazon-bedrock', model: 'anthropic.claude-3-haiku-x' },
  { slug: 'vertex', adapter: 'google-vertex', model: 'gemini-2.5-flash-x' },
] as const;

/** Of every protocol, streamed and in one piece: what is too deep, too wide, too long or too many. */
const NAMES =
  /^(?:objects|nested objects) as (?:all of it|choices|content|candidates|a member|the input of a call)$|^(?:choices|calls|members|blocks|citations|counts|candidates|a line without end|headers without values|pings behind the stop reason|objects as the delta of a frame)$/;

const SHAPES = answerShapes().filter(({ name }) => NAMES.test(name));

describe('an answer that is more than an answer can be', () => {
  let provider: Server;
  let gateway: TestGateway & { stop(): Promise<void> };
  let use: Call;
  let next: ScriptedAnswer;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      response.on('error', () => undefined);
      request.resume().on('end', () => {
        if (request.url?.startsWith('/token') === true) response.end(TOKEN);
        else response.writeHead(next.status, next.headers).end(next.body);
      });
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    gateway = await launchGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0' },
      catalog: {
        providers: [
          { slug: 'demo', adapter: 'demo', name: 'Demo' },
          ...PROVIDERS.map(({ slug, adapter }) => ({
            slug,
            adapter,
            name: slug,
            base_url: slug === 'openai' || slug === 'anthropic' ? `${url}/v1` : url,
          })),
        ],
        models: [
          ...PROVIDERS.map(({ slug, model }) =>
            demoModel(`${slug}/x`, [{ provider: slug, upstream_model_id: model }]),
          ),
          demoModel('openai/y', [
            { provider: 'openai', upstream_model_id: 'gpt-y' },
            { provider: 'demo', upstream_model_id: 'demo/echo' },
          ]),
        ],
      },
    });
    const manage = caller(gateway, gateway.managementKey);
    for (const { slug } of PROVIDERS)
      recordOf(await manage('POST', '/byok', { provider: slug, key: keyOf(slug, url) }));
    use = caller(gateway, gateway.apiKey);
  });
  afterAll(async () => {
    await gateway.stop();
    provider.closeAllConnections();
    provider.close();
  });

  it('makes room for the next provider, and fails its own until that one goes first', async () => {
    next = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('['.repeat(5e6)),
    };
    const tried: unknown[] = [];
    for (let chat = 0; chat < 6; chat += 1) {
      const body = { model: 'openai/y', messages: [{ role: 'user', content: 'Hello' }] };
      const answer = await use('POST', '/chat/completions', body);
      expect(answer.status).toBe(200);
      const record = await use('GET', `/generation?id=${answer.headers['x-generation-id']}`);
      tried.push((recordOf(record).provider_responses as readonly { error: unknown }[])[0]?.error);
    }
    expect(tried[0]).toBe('malformed');
    expect(tried.at(-1)).toBeNull();
  });

  it.each(SHAPES.map((shape) => ({ shape, title: titleOf(shape) })))(
    '$title: is the fault of its provider, and told as that',
    async ({ shape }) => {
      next = shape.make();
      const slug = shape.protocol === 'messages' ? 'anthropic' : shape.protocol;
      const answer = await use('POST', shape.protocol === 'messages' ? '/messages' : '/chat/completions', {
        model: `${slug}/x`,
        stream: shape.isStreamed,
        max_tokens: 1000,
        messages: [{ role: 'user', content: 'Hello' }],
      });
      // A stream may have begun.
      expect([200, 502, 529]).toContain(answer.status);
      expect(answer.text).toMatch(/The provider sent something that is not an answer/);
      expect(answer.text).not.toContain('[DONE]');
    },
    30_000,
  );
});

const TOKEN = JSON.stringify({ access_token: 'ya29.test', expires_in: 3599, token_type: 'Bearer' });

function titleOf({ protocol, isStreamed, name }: AnswerShape): string {
  return `${protocol}, ${isStreamed ? 'streamed' : 'in one piece'}: ${name}`;
}

function keyOf(slug: string, url: string): unknown {
  switch (slug) {
    case 'azure':
      return [{ api_key: 'azure-test-0123456789abcdef', resource_name: 'test' }];
    case 'vertex':
      return serviceAccount(`${url}/token`);
    case 'bedrock':
      return 'ABSKQmVkcm9ja0FQSUtleS10ZXN0LTAxMjM0NTY3ODk=';
    default:
      return 'sk-ant-test-0123456789abcdefghijkl';
  }
}
