/** A catalogue with a provider of every kind, for the credentials that each takes. */
import { demoModel, demoProvider, type TestCatalog } from '../support/catalog.js';

/** Slugs of the specified kinds are the ecosystem's own. */
const KINDS = ['openai', 'anthropic', 'azure', 'amazon-bedrock', 'google-vertex'];

/** Where nothing listens: no test of ours may call a real provider. */
const NOBODY = 'http://127.0.0.1:9';

/** The kinds of spec 2.3 and two more providers; one model is at all of them but demo. */
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
