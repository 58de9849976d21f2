import { expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';
import { bodyOf, caller, type Row, recordOf } from '../../support/rest.js';

const PRICES = { prompt: '0.000003', completion: '0.000015' };

async function start() {
  const openai = await startFakeOpenAi();
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [{ slug: 'openai', name: 'OpenAI', adapter: 'openai', base_url: openai.baseUrl }],
      models: [
        demoModel('openai/gpt-4.1', [
          {
            provider: 'openai',
            upstream_model_id: 'gpt-4.1',
            formats: ['chat', 'responses'],
            pricing: PRICES,
          },
        ]),
      ],
    },
  });
  await caller(gateway, gateway.managementKey)('POST', '/byok', { provider: 'openai', key: FAKE_API_KEY });
  return { openai, use: caller(gateway, gateway.apiKey) };
}

const REQUEST = { model: 'openai/gpt-4.1', input: 'Hello there' };

it('a native answer is the provider’s, but for id, model and cost, whole and streamed', async () => {
  const { use } = await start();
  const answer = await use('POST', '/responses', REQUEST);
  const whole = bodyOf(answer) as Row;
  const { text } = await use('POST', '/responses', { ...REQUEST, stream: true });
  const events = text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block): Row => JSON.parse(block.replace(/^event: \S+\ndata: /, '')));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const last = events.at(-1)?.response as Row;
  for (const response of [whole, last]) {
    expect(response).toMatchObject({ model: 'openai/gpt-4.1', status: 'completed', store: false });
    expect(response.id).toMatch(/^resp_gen-/);
    expect(response.usage).toMatchObject({
      ...{ is_byok: true, cost: expect.any(Number) },
      cost_details: { upstream_inference_cost: expect.any(Number) },
    });
  }
  for (const { response } of events) if (response) expect((response as Row).id).toBe(last.id);
  const id = answer.headers['x-generation-id'];
  const record = recordOf(await use('GET', `/generation?id=${id}`));
  expect(record).toMatchObject({ api: 'responses', lane: 'native' });
});
