// Whether the packaged catalogue can be served, and none of its prices looks wrong without a note: what `byway catalog check
// --prices` says of it. Reads what scripts/bundle.mjs has made in dist/modules.
import { readFileSync } from 'node:fs';

const MODULES = new URL('../dist/modules/src/', import.meta.url);

/** Throws an Error that lists what is wrong. */
export async function checkPackagedCatalog() {
  const [{ readCatalog }, { CatalogViolations }, { unservableEndpoints }, { suspiciousPrices }] =
    await Promise.all(
      [
        'catalog/importing/import.js',
        'catalog/input/violation-list.js',
        'catalog/assembled/servable.js',
        'catalog/prices/suspicious.js',
      ].map((path) => import(new URL(path, MODULES).href)),
    );
  const text = readFileSync(new URL('../src/catalog/data/default-catalog.json', import.meta.url), 'utf8');
  const violations = new CatalogViolations();
  const { file } = readCatalog(text, violations);
  violations.throwIfAny();
  const wrong = [
    ...unservableEndpoints(file).map(({ id }) => `nothing here can serve ${id}`),
    ...suspiciousPrices(file)
      .filter(({ note }) => note === null)
      .map(({ endpoint, key, found, expected }) => `${endpoint}: ${key} is ${found}, expected ${expected}`),
  ];
  if (wrong.length > 0) {
    const advice = 'correct it in src/catalog/prices, or say there why it is right';
    throw new Error(`the packaged catalogue is wrong; ${advice}:\n${wrong.join('\n')}`);
  }
}
