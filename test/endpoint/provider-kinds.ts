/** A catalogue with a provider of every kind, for the credentials that each takes. */
import { demoModel, demoProvider, type TestCatalog } from '../support/catalog.js';

/** Slugs of the specified kinds are the ecosystem's own (interface section 1). */
const KINDS = ['openai', 'anthropic', 'azure', 'amazon-bedrock', 'google-vertex'];

export function everyKindOfProvider(): TestCatalog {
  const kinds = KINDS.map((slug) => ({ slug, name: slug, adapter: slug }));
  return {
    providers: [...kinds, { slug: 'mistral', name: 'Mistral', adapter: 'openai' }, demoProvider('demo')],
    models: [demoModel('demo/echo', ['demo']), demoModel('openai/gpt', [...KINDS, 'mistral'])],
  };
}
