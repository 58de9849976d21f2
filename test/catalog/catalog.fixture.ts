import { readFileSync } from 'node:fs';
import { Problem } from '../../src/base/problem.js';
import type { Catalog } from '../../src/catalog/assembled/catalog.js';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { checkCatalog } from '../../src/catalog/assembled/check.js';
import { DEFAULT_CATALOG_FILE } from '../../src/catalog/default.js';
import { readCatalog } from '../../src/catalog/importing/import.js';
import { type CatalogFile, EMPTY_CATALOG } from '../../src/catalog/input/catalog-file.js';
import { CatalogViolations } from '../../src/catalog/input/violation-list.js';

/** The text of a fixture of this folder. */
export function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
}

/** Reads and checks a catalogue text as an import would. */
export function readChecked(text: string): CatalogFile {
  const violations = new CatalogViolations();
  const { file } = readCatalog(text, violations);
  checkCatalog(file, EMPTY_CATALOG, violations);
  violations.throwIfAny();
  return file;
}

/** The catalogue of a fixture. */
export function fixtureCatalog(name: string): Catalog {
  return createCatalog(readChecked(fixture(name)), 1);
}

/** The content of the packaged catalogue. */
export function defaultFile(): CatalogFile {
  return readChecked(readFileSync(DEFAULT_CATALOG_FILE, 'utf8'));
}

/** Field and rule of the violations that `work` throws; empty without any. */
export async function violationsOf(work: () => unknown): Promise<[field: string, rule: string][]> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown.violations.map(({ field, rule }) => [field, rule]);
    throw thrown;
  }
  return [];
}
