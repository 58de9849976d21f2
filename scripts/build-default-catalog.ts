// Makes src/catalog/data/default-catalog.json from a models.dev `api.json` or `catalog.json`, the demo provider, and models of
// embeddings and reranking that models.dev lacks.
//   node test/support/run-typescript.mjs scripts/build-default-catalog.ts PATH_OF_API_JSON
// The source's licence and the commit it was taken at stand in src/catalog/data/NOTICE.md: bring that up to date too.
import { readFile, writeFile } from 'node:fs/promises';
import { checkCatalog } from '../src/catalog/assembled/check.js';
import { servableOnly, unservableEndpoints } from '../src/catalog/assembled/servable.js';
import { readCatalog } from '../src/catalog/importing/import.js';
import { type CatalogFile, EMPTY_CATALOG } from '../src/catalog/input/catalog-file.js';
import { CatalogViolations } from '../src/catalog/input/violation-list.js';
import { formatNative } from '../src/catalog/native/native.js';
import { suspiciousPrices } from '../src/catalog/prices/suspicious.js';

const [source] = process.argv.slice(2);
if (source === undefined) throw new Error('usage: build-default-catalog.ts PATH_OF_API_JSON');

const violations = new CatalogViolations();
const real = readCatalog(await readFile(source, 'utf8'), violations);
const demo = await ownFile('demo-catalog.json');
const vectors = await ownFile('vectors-catalog.json');
const whole = {
  providers: [...demo.providers, ...real.file.providers],
  models: [...demo.models, ...vectors.models, ...real.file.models],
};
checkCatalog(whole, EMPTY_CATALOG, violations);
violations.throwIfAny();
const file = servableOnly(whole);
const [unservable] = unservableEndpoints(file);
if (unservable !== undefined) throw new Error(`nothing here can serve ${unservable.id}`);
const wrong = suspiciousPrices(file).filter(({ note }) => note === null);
if (wrong.length > 0) {
  const lines = wrong.map((one) => `${one.endpoint}: ${one.key} is ${one.found}, expected ${one.expected}`);
  throw new Error(
    `correct these prices in src/catalog/prices, or note there why they are right:\n${lines.join('\n')}`,
  );
}

const target = new URL('../src/catalog/data/default-catalog.json', import.meta.url);
await writeFile(target, formatNative(file));
const endpoints = file.models.reduce((count, model) => count + model.endpoints.length, 0);
process.stdout.write(
  `${file.providers.length} providers, ${file.models.length} models, ${endpoints} endpoints; ` +
    `not taken: ${JSON.stringify(real.skipped)}, nothing serves ${unservableEndpoints(whole).length} more\n`,
);

async function ownFile(name: string): Promise<CatalogFile> {
  return readCatalog(await readFile(new URL(name, import.meta.url), 'utf8'), violations).file;
}
