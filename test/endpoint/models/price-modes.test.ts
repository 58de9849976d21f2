import { expect, it } from 'vitest';
import { importCatalog } from '../../../src/catalog/importing/import.js';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { startGateway } from '../../support/gateway.js';
import { caller, recordOf } from '../../support/rest.js';

const GEO = { inference_geo: 'us', multiplier: '1.1' };
const FLEX = {
  service_tier: 'flex',
  min_prompt_tokens: 1000,
  prompt: '0.0000005',
  audio_output: '0.000001',
  input_cache_write_1h: '0.000002',
};

const CATALOG = {
  providers: [demoProvider('a', { price_modes: [GEO] }), demoProvider('b'), demoProvider('c')],
  models: [
    demoModel('test/m', [
      { provider: 'a', upstream_model_id: 'echo' },
      { provider: 'b', upstream_model_id: 'echo', price_modes: [FLEX, { batch: true, multiplier: '0.5' }] },
      { provider: 'c', upstream_model_id: 'echo' },
    ]),
  ],
};

it('GET /models/{author}/{slug}/endpoints shows price_modes, and pricing is that of the base', async () => {
  const gateway = await startGateway({ catalog: CATALOG });
  const call = caller(gateway, gateway.apiKey);
  const { endpoints } = recordOf(await call('GET', '/models/test/m/endpoints')) as {
    endpoints: readonly { provider: string; price_modes: unknown; pricing: object }[];
  };
  const shown = Object.fromEntries(endpoints.map(({ provider, price_modes }) => [provider, price_modes]));
  expect(shown).toEqual({ a: [GEO], b: [FLEX, { batch: true, multiplier: '0.5' }], c: [] });
  for (const { pricing } of endpoints)
    expect(pricing).toEqual({ prompt: '0.000001', completion: '0.000002' });
  const models = recordOf(await call('GET', '/models/test/m'));
  expect(models.pricing).toEqual({ prompt: '0.000001', completion: '0.000002' });
});

it('price_modes that are not as they should be are violations that name their path, and nothing is written', async () => {
  const gateway = await startGateway({ catalog: CATALOG });
  const wrong = {
    ...CATALOG,
    providers: [demoProvider('a', { price_modes: [{ multiplier: '2' }] }), ...CATALOG.providers.slice(1)],
  };
  const { catalog } = gateway.gateway.stores;
  await expect(importCatalog(catalog, JSON.stringify(wrong), { merge: false })).rejects.toMatchObject({
    violations: [
      {
        field: 'providers[0].price_modes[0]',
        rule: 'condition',
        message: 'needs at least one of service_tier, speed, inference_geo, batch',
      },
    ],
  });
  const { providers } = await catalog.load();
  expect(providers.find(({ slug }) => slug === 'a')?.priceModes).toMatchObject([{ multiplier: '1.1' }]);
});
