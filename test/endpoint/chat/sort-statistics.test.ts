import { describe, expect, it } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { bodyOf, caller, type Row, recordOf } from '../../support/rest.js';

const MODEL = 'test/m';

/** The same model at three providers: the cheaper one is the slower one. */
function catalog() {
  const at = (provider: string, upstream_model_id: string, prompt: string) => ({
    provider,
    upstream_model_id,
    pricing: { prompt, completion: '0' },
  });
  return {
    providers: ['cheap', 'fast', 'idle'].map((slug) => demoProvider(slug)),
    models: [
      demoModel(MODEL, [
        at('cheap', 'slow-150', '0.000001'),
        at('idle', 'echo', '0.000002'),
        at('fast', 'echo', '0.000003'),
      ]),
    ],
  };
}

async function chat(gateway: TestGateway, provider: object, more: object = {}) {
  const answer = await caller(gateway, gateway.apiKey)('POST', '/chat/completions', {
    model: MODEL,
    messages: [{ role: 'user', content: 'Hello there' }],
    max_tokens: 3,
    provider,
    ...more,
  });
  expect(answer.status).toBe(200);
  return answer;
}

async function explained(gateway: TestGateway, sort: string) {
  const answer = await caller(gateway, gateway.apiKey)('POST', '/routing/explain', {
    model: MODEL,
    provider: { sort },
  });
  const attempts = recordOf(answer).attempts as Row[];
  return attempts.map(({ provider }) => provider);
}

describe.each([[true], [false]])('sort: throughput | latency, stream %j', (stream) => {
  it('orders by measurements, then unmeasured endpoints by price', async () => {
    const gateway = await startGateway({ catalog: catalog() });
    const byPrice = ['cheap', 'idle', 'fast'];
    for (const sort of ['price', 'latency', 'throughput'])
      expect(await explained(gateway, sort)).toEqual(byPrice);

    await chat(gateway, { only: ['cheap'] }, { stream });
    expect(await explained(gateway, 'latency')).toEqual(byPrice);
    await chat(gateway, { only: ['fast'] }, { stream });
    expect(await explained(gateway, 'price')).toEqual(byPrice);
    for (const sort of ['latency', 'throughput']) {
      expect(await explained(gateway, sort)).toEqual(['fast', 'cheap', 'idle']);
      expect(bodyOf(await chat(gateway, { sort }))).toMatchObject({ provider: 'fast' });
    }
  });
});

it('a failed attempt adds no measurement, and its duration does not count for the endpoint that served', async () => {
  const { providers, models } = catalog();
  const failing = {
    provider: 'broken',
    upstream_model_id: 'status-500',
    pricing: { prompt: '0', completion: '0' },
  };
  const [model] = models as { endpoints: object[] }[];
  const gateway = await startGateway({
    catalog: {
      providers: [...providers, demoProvider('broken')],
      models: [{ ...model, endpoints: [...(model?.endpoints ?? []), failing] }],
    },
  });
  await chat(gateway, { only: ['broken', 'fast'] });
  expect(await explained(gateway, 'latency')).toEqual(['fast', 'broken', 'cheap', 'idle']);
});
