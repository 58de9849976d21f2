import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { AccessTokens } from '../../../src/providers/google-vertex/host/token.js';
import { vertex } from '../../../src/providers/google-vertex/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { guardedConnector } from '../../../src/providers/http/guard.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { createInlineMedia } from '../../../src/providers/http/inline-media.js';
import { demoModel } from '../../support/catalog.js';
import { CLIENT_EMAIL, PRIVATE_KEY_ID, PRIVATE_KEY_PEM } from '../../support/fakes/fake-vertex/account.js';
import { permissionDenied } from '../../support/fakes/fake-vertex/error.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { startGateway } from '../../support/gateway.js';

const messages = [{ role: 'user', content: 'Hello there' }];
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
const GEMINI = 'google/gemini-3.1-pro-preview';
const MODELS = [GEMINI, 'anthropic/claude-haiku-4.5', 'meta/llama-4'] as const;
const SECRETS = [CLIENT_EMAIL, PRIVATE_KEY_ID, PRIVATE_KEY_PEM.split('\n')[1] ?? '', 'ya29.'];

async function start(isGuarded = false) {
  const fake = await startFakeVertex();
  const http = createHttp();
  const guardedHttp = isGuarded ? createHttp(guardedConnector()) : http;
  onTestFinished(async () => void (await Promise.all([http.close(), guardedHttp.close()])));
  const tokens = new AccessTokens({ http, guardedHttp, clock: systemClock });
  const endpoint = (upstream_model_id: string) => [{ provider: 'google-vertex', upstream_model_id }];
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    adapters: new Map([
      [
        'google-vertex',
        createAdapter(
          vertex({
            http,
            inlineMedia: createInlineMedia({ guardedHttp: http, allowHttp: true }),
            tokens,
          }),
          systemClock,
        ),
      ],
    ]),
    catalog: {
      providers: [
        { slug: 'google-vertex', name: 'Google Vertex AI', adapter: 'google-vertex', base_url: fake.origin },
      ],
      models: [
        demoModel(GEMINI, endpoint('gemini-3.1-pro-preview')),
        demoModel('anthropic/claude-haiku-4.5', endpoint('claude-haiku-4-5@20251001')),
        demoModel('meta/llama-4', endpoint('meta/llama-4-maas')),
      ],
    },
  });
  const post = (path: string, token: string, body: object) =>
    fetch(`${gateway.rest}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const store = async (key: string) => {
    const answer = await post('/byok', gateway.managementKey, { provider: 'google-vertex', key });
    expect(answer.status).toBe(201);
  };
  const chat = (body: object) =>
    post('/chat/completions', gateway.apiKey, { model: GEMINI, messages, ...body });
  return { fake, gateway, store, chat };
}

describe('Google Vertex AI behind the gateway', () => {
  it.each(MODELS)('answers as %s, over a service account of the caller’s, in its region', async (model) => {
    const { fake, gateway, store, chat } = await start();
    await store(fake.serviceAccount({ region: 'europe-west4', bucket: 'gs://my-bucket' }));
    const answer = await chat({ model });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      model,
      provider: 'google-vertex',
      choices: [{ message: { content: 'Grüezi mitenand 👋🏽!' }, finish_reason: 'stop' }],
      usage: { is_byok: true, prompt_tokens: 2 },
    });
    expect(fake.requests[0]?.path).toContain('/locations/europe-west4/');
    for (const secret of SECRETS) expect(gateway.log.join()).not.toContain(secret);
  });

  it.each(MODELS)('streams as %s, tool calls and all', async (model) => {
    const { fake, store, chat } = await start();
    await store(fake.serviceAccount());
    const answer = await chat({ model, tools, stream: true });
    const events = (await answer.text()).split('\n\n').filter((event) => event.startsWith('data: '));
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, id: expect.any(String), type: 'function' });
    expect(calls.map((call) => call.function.arguments).join('')).toBe('{"city":"Zürich"}');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { is_byok: true } });
  });

  it('goes on after a tool’s result with what the client received, signatures included', async () => {
    const { fake, store, chat } = await start();
    await store(fake.serviceAccount());
    const { choices } = JSON.parse(await (await chat({ tools })).text());
    const { message } = choices[0];
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '{"degrees":3}' };
    const answer = await chat({ tools, messages: [...messages, message, result] });
    expect(answer.status).toBe(200);
    const [turn] = fake.requests[1]?.body.contents?.slice(1) ?? [];
    expect(turn?.parts[0]?.thoughtSignature).toBe(message.reasoning_details[0].data);
  });

  it('is named in the error when it refuses the account, without any secret', async () => {
    const { fake, gateway, store, chat } = await start();
    const { status, body } = permissionDenied('fake-project', 'm');
    fake.plan('gemini-3.1-pro-preview', { status, body });
    await store(fake.serviceAccount());
    await store(fake.serviceAccount({ private_key_id: 'otherid' }));
    const answer = await chat({});
    const text = await answer.text();
    expect(answer.status).toBe(502);
    expect(JSON.parse(text).error.metadata.provider_responses).toMatchObject([
      { status: 403, is_byok: true },
      { status: 401, is_byok: true },
    ]);
    for (const secret of SECRETS) expect(text + gateway.log.join()).not.toContain(secret);
  });

  it('never connects to a private address that a credential names, unless the operator allows it', async () => {
    const { fake, store, chat } = await start(true);
    await store(fake.serviceAccount());
    const answer = await chat({});
    expect(answer.status).toBe(502);
    expect(JSON.parse(await answer.text()).error.metadata.provider_responses).toMatchObject([
      { status: null, error: 'connect' },
    ]);
    expect(fake.tokenRequests).toEqual([]);
    expect(fake.requests).toEqual([]);
  });
});
