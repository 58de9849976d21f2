import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { bedrock } from '../../../src/providers/amazon-bedrock/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { createInlineMedia } from '../../../src/providers/http/inline-media.js';
import { demoModel } from '../../support/catalog.js';
import {
  FAKE_ACCESS_KEY,
  FAKE_API_KEY,
  FAKE_EU_API_KEY,
  startFakeBedrock,
} from '../../support/fakes/fake-bedrock.js';
import { startGateway } from '../../support/gateway.js';

const PROMPT = { model: 'anthropic/claude', messages: [{ role: 'user', content: 'Hello there' }] };
const ID = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const AREAS = ['eu', 'us', 'global'];

async function start() {
  const fake = await startFakeBedrock();
  const http = createHttp();
  onTestFinished(() => http.close());
  const endpoints = AREAS.map((region) => ({
    provider: 'amazon-bedrock',
    upstream_model_id: `${region}.${ID}`,
    region,
  }));
  const gateway = await startGateway({
    adapters: new Map([
      [
        'amazon-bedrock',
        createAdapter(
          bedrock({
            http,
            inlineMedia: createInlineMedia({ guardedHttp: http, allowHttp: true }),
            clock: systemClock,
          }),
          systemClock,
        ),
      ],
    ]),
    env: { BYWAY_REGION_HOSTS: 'localhost=eu' },
    catalog: {
      providers: [
        {
          slug: 'amazon-bedrock',
          name: 'Bedrock',
          adapter: 'amazon-bedrock',
          base_url: fake.regionalBaseUrl,
        },
      ],
      models: [demoModel('anthropic/claude', endpoints)],
    },
  });
  const post = (path: string, token: string, body: object, rest = gateway.rest) =>
    fetch(`${rest}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const addKey = async (key: unknown) => {
    const answer = await post('/byok', gateway.managementKey, { provider: 'amazon-bedrock', key });
    expect(answer.status).toBe(201);
  };
  const european = gateway.rest.replace('127.0.0.1', 'localhost');
  return { fake, gateway, post, addKey, european };
}

describe('Bedrock behind the gateway', () => {
  it('is called with an access key in its region, in the area that it lies in', async () => {
    const { fake, gateway, post, addKey } = await start();
    await addKey({ ...FAKE_ACCESS_KEY, region: 'eu-west-1' });
    const answered = await post('/routing/explain', gateway.apiKey, PROMPT);
    const explained = JSON.parse(await answered.text());
    expect(
      explained.data.attempts.map(({ endpoint, region }: Record<string, unknown>) => [endpoint, region]),
    ).toEqual([
      [expect.stringContaining('@eu'), 'eu-west-1'],
      [expect.stringContaining('@global'), 'eu-west-1'],
    ]);
    expect(
      explained.data.excluded.filter(({ byok_key_id }: Record<string, unknown>) => byok_key_id),
    ).toMatchObject([{ reason: 'region', detail: expect.stringContaining('eu-west-1') }]);
    const answer = await post('/chat/completions', gateway.apiKey, { ...PROMPT, temperature: 0.5 });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      model: 'anthropic/claude',
      provider: 'amazon-bedrock',
      choices: [{ message: { content: 'Grüezi mitenand 👋🏽!' }, finish_reason: 'stop' }],
      usage: { completion_tokens: 4, is_byok: true },
    });
    expect(fake.requests).toMatchObject([{ region: 'eu-west-1', modelId: `eu.${ID}` }]);
    expect(fake.requests[0]?.body).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hello there' }] }],
      inferenceConfig: { temperature: 0.5 },
    });
    expect(JSON.stringify(fake.requests[0]?.headers)).not.toContain('bw-v1');
    expect(gateway.log.join()).not.toContain(FAKE_ACCESS_KEY.secretAccessKey);
  });

  it('streams with a bare key, which is called in each area’s default region, tool calls and all', async () => {
    const { fake, gateway, post, addKey } = await start();
    await addKey(FAKE_API_KEY);
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    const answer = await post('/chat/completions', gateway.apiKey, { ...PROMPT, tools, stream: true });
    const events = (await answer.text()).split('\n\n').filter((event) => event.startsWith('data: '));
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
    const calls = chunks.flatMap(({ choices }) => choices[0]?.delta?.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, id: 'tooluse_fake1', type: 'function' });
    expect(calls.map((call) => call.function.arguments).join('')).toBe('{"city":"Zürich"}');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { is_byok: true } });
    const tried = fake.requests.map(({ region, modelId }) => [region, modelId.split('.')[0]]);
    expect(tried.at(-1)?.[0]).toBe('us-east-1');
    expect(tried.filter(([region]) => region === 'eu-central-1').every(([, area]) => area === 'eu')).toBe(
      true,
    );
  });

  it('keeps the data of a European host in Europe, whatever the key could call', async () => {
    const { fake, gateway, post, addKey, european } = await start();
    await addKey(FAKE_EU_API_KEY);
    const answer = await post('/chat/completions', gateway.apiKey, PROMPT, european);
    expect(answer.status).toBe(200);
    expect(fake.requests).toMatchObject([{ region: 'eu-central-1', modelId: `eu.${ID}` }]);
  });

  it('is named in the error when it refuses the key, without the key', async () => {
    const { gateway, post, addKey } = await start();
    const secretAccessKey = 'wrong/canary+secret0123456789abcdefghijk';
    await addKey({ ...FAKE_ACCESS_KEY, secretAccessKey, region: 'eu-west-1' });
    const answer = await post('/chat/completions', gateway.apiKey, PROMPT);
    const text = await answer.text();
    expect(answer.status).toBe(502);
    expect(JSON.parse(text).error.metadata.provider_responses).toMatchObject([
      { status: 403, is_byok: true },
      { status: 403, is_byok: true },
    ]);
    for (const secret of [secretAccessKey, FAKE_ACCESS_KEY.accessKeyId]) {
      expect(text + gateway.log.join()).not.toContain(secret);
    }
  });
});
