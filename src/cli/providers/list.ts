import type { Terminal } from '../output/command-line.js';
import { type CommandOutcome, report } from '../output/outcome.js';
import { tableLines } from '../output/table.js';
import { withGateway } from '../support/with-gateway.js';

const WIDTH = 140;

/** Every provider of the catalogue: whose it is, where, with what, and how many models it has. */
export function listProviders(terminal: Terminal): Promise<CommandOutcome> {
  return withGateway(terminal, async ({ stores, credentials }) => {
    const { providers, models, own } = await stores.catalog.load();
    const shared = await credentials.sharedByProvider();
    const listed = providers.map(({ slug, name, adapter, baseUrl, headers = {}, credential }) => ({
      slug,
      name,
      origin: own?.has(slug) ? 'operator' : 'package',
      adapter,
      base_url: baseUrl,
      credential: shared.get(slug)?.label ?? credential ?? null,
      headers: Object.keys(headers),
      models: models.filter(({ endpoints }) => endpoints.some(({ provider }) => provider === slug)).length,
    }));
    const rows = listed.map((one) => [
      one.slug,
      one.origin,
      one.adapter,
      String(one.models),
      one.credential ?? '-',
      [one.base_url ?? '-', ...one.headers.map((name) => `${name}: (secret)`)].join('  '),
    ]);
    const header = ['provider', 'origin', 'adapter', 'models', 'key', 'base_url and headers'];
    return report({ providers: listed }, tableLines(header, rows, WIDTH));
  });
}
