/** Claude at Vertex AI costs more in a region, which the credential names. */
import { expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { startGateway } from '../../support/gateway.js';
import { caller, recordOf } from '../../support/rest.js';

const pricing = { prompt: '0.000001', completion: '0.000002' };
const price_modes = [{ inference_geo: 'regional', multiplier: '1.1' }];
const upstream_model_id = 'claude-opus-4-6@default';

it.each([
  ['global', 'm', 10],
  ['us-east5', 'm', 11],
  ['us-east5', 'unpriced-region', 10],
  ['us-east5', 'regional', 10],
])('with a credential of %s a request of %s costs %d tenths', async (region, model, tenths) => {
  const vertex = await startFakeVertex();
  vertex.plan(upstream_model_id, {});
  const endpoint = { provider: 'google-vertex', upstream_model_id, pricing };
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [
        { slug: 'google-vertex', name: 'Vertex', adapter: 'google-vertex', base_url: vertex.origin },
      ],
      models: [
        demoModel('test/m', [{ ...endpoint, price_modes }]),
        demoModel('test/unpriced-region', [endpoint]),
        demoModel('test/regional', [{ ...endpoint, region: 'us-east5', price_modes }]),
      ],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  await manage('POST', '/byok', { provider: 'google-vertex', key: vertex.serviceAccount({ region }) });
  const use = caller(gateway, gateway.apiKey);
  const body = { model: `test/${model}`, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
  const explained = recordOf(await use('POST', '/routing/explain', body)) as {
    attempts: readonly { price: { prompt: string } }[];
  };
  expect(Number(explained.attempts[0]?.price.prompt) * 1e7).toBeCloseTo(tenths, 6);
  const answer = await use('POST', '/chat/completions', body);
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const record = recordOf(await use('GET', `/generation?id=${answer.headers['x-generation-id']}`));
  const { tokens_prompt, tokens_completion, upstream_inference_cost } = record;
  expect(record.unpriced).toEqual([]);
  expect(Math.round(Number(upstream_inference_cost) * 1e9)).toBe(
    ((Number(tokens_prompt) * 1_000 + Number(tokens_completion) * 2_000) * tenths) / 10,
  );
});
