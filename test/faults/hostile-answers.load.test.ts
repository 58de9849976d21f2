import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerShapes } from '../bench/worst/answer-shapes.js';
import {
  addScriptedKeys,
  requestFor,
  type ScriptedProvider,
  scriptedCatalog,
  startScriptedProvider,
  titleOf,
} from '../bench/worst/scripted.js';
import { demoModel } from '../support/catalog.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { type Call, caller, recordOf, send } from '../support/rest.js';

/** Of every protocol, streamed and in one piece: what is too deep, too wide, too long or too many. */
const NAMES =
  /^(?:objects|nested objects) as (?:all of it|choices|content|candidates|a member|the input of a call)$|^(?:choices|calls|members|blocks|citations|counts|candidates|a line without end|headers without values|pings behind the stop reason|objects as the delta of a frame)$/;

const SHAPES = answerShapes().filter(({ name }) => NAMES.test(name));

describe('an answer that is more than an answer can be', () => {
  let provider: ScriptedProvider;
  let gateway: TestGateway & { stop(): Promise<void> };
  let use: Call;

  beforeAll(async () => {
    provider = await startScriptedProvider();
    const { providers, models } = scriptedCatalog(provider.origin);
    gateway = await launchGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0' },
      catalog: {
        providers: [{ slug: 'demo', adapter: 'demo', name: 'Demo' }, ...providers],
        models: [
          ...models,
          demoModel('openai/y', [
            { provider: 'openai', upstream_model_id: 'gpt-y' },
            { provider: 'demo', upstream_model_id: 'demo/echo' },
          ]),
        ],
      },
    });
    await addScriptedKeys(gateway.url, gateway.managementKey, provider.origin);
    use = caller(gateway, gateway.apiKey);
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.close();
  });

  it('makes room for the next provider, and fails its own until that one goes first', async () => {
    provider.answer({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('['.repeat(5e6)),
    });
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

  it.each(SHAPES.map((shape) => [titleOf(shape), shape] as const))(
    '%s: is the fault of its provider, and told as that',
    async (_, shape) => {
      provider.answer(shape.make());
      const { method, path, headers, body } = requestFor(shape);
      const answer = await send(gateway.url + path, method, {
        headers: { ...headers, authorization: `Bearer ${gateway.apiKey}` },
        body,
      });
      // A stream may have begun.
      expect([200, 502, 529]).toContain(answer.status);
      expect(answer.text).toMatch(/The provider sent something that is not an answer/);
      expect(answer.text).not.toContain('[DONE]');
    },
    30_000,
  );
});
