/** A catalogue with a provider of every kind of credential. */
import { demoModel, demoProvider, type TestCatalog } from '../support/catalog.js';

/** The slugs that clients of such gateways know. */
const KINDS = ['openai', 'anthropic', 'azure', 'amazon-bedrock', 'google-vertex'];

/** A port where nothing listens: no test may call a real provider. */
const NOBODY = 'http://127.0.0.1:9';

/** Every kind of credential and two more providers; one model is at all of them except demo. */
export function everyKindOfProvider(): TestCatalog {
  const kinds = KINDS.map((slug) => ({ slug, name: slug, adapter: slug, base_url: NOBODY }));
  return {
    providers: [
      ...kinds,
      { slug: 'mistral', name: 'Mistral', adapter: 'openai', base_url: NOBODY },
      demoProvider('demo'),
    ],
    models: [demoModel('demo/echo', ['demo']), demoModel('openai/gpt', [...KINDS, 'mistral'])],
  };
}
