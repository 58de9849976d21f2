import { invalid } from '../base/problem.js';
import { admittedNameWarnings } from './admitted-names.js';
import { checkCatalog } from './check.js';
import { type CatalogFile, EMPTY_CATALOG, type ModelInput } from './input/catalog-file.js';
import { ViolationList } from './input/violation-list.js';
import { isModelsDev, readModelsDev, type SkippedEndpoints } from './models-dev.js';
import { readNative } from './native.js';
import { renamedModels } from './renames.js';
import type { CatalogStore } from './store.js';

/** Limit in characters; the public models.dev catalogue has 2 million. */
const MAX_FILE_LENGTH = 32 * 1024 * 1024;

export interface ImportSummary {
  readonly format: 'native' | 'models.dev';
  /** How many of the file's providers were imported. */
  readonly providers: number;
  readonly models: number;
  readonly endpoints: number;
  /** Ids of models that this import retired. */
  readonly retired: readonly string[];
  /** New ids of models that a public list has renamed, by their old ids, which are aliases now; left out where there are none. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Endpoints of the file that were not imported, by reason; empty for a native file. */
  readonly skipped: SkippedEndpoints;
  /** What was imported and may be mistyped. */
  readonly warnings: readonly string[];
}

interface ReadCatalog {
  readonly format: ImportSummary['format'];
  readonly file: CatalogFile;
  readonly skipped: SkippedEndpoints;
}

/**
 * Imports a native or a models.dev file in one transaction: `docs/catalog.md#importing`. It replaces the catalogue; with
 * `merge` it only adds and updates. Throws `invalid_request` with all violations and their paths in the file; nothing
 * changes then.
 */
export async function importCatalog(
  store: CatalogStore,
  text: string,
  options: { readonly merge: boolean },
): Promise<ImportSummary> {
  const violations = new ViolationList();
  const { format, file, skipped } = readCatalog(text, violations);
  let retired: string[] = [];
  let renamed: readonly ModelInput[] = [];
  await store.replace((live) => {
    const base = options.merge ? live : EMPTY_CATALOG;
    checkCatalog(file, base, violations);
    violations.throwIfAny();
    const given = merge(base, file);
    renamed = format === 'models.dev' ? renamedModels(live, given) : [];
    const next = { ...given, models: [...given.models, ...renamed] };
    const remaining = new Set(next.models.map((model) => model.id));
    retired = live.models.map((model) => model.id).filter((id) => !remaining.has(id));
    return next;
  });
  return {
    format,
    providers: file.providers.length,
    models: file.models.length,
    endpoints: file.models.reduce((count, model) => count + model.endpoints.length, 0),
    retired,
    ...(renamed.length > 0 && {
      renamed: Object.fromEntries(renamed.map(({ id, aliasTarget }) => [id, aliasTarget ?? ''])),
    }),
    skipped,
    warnings: admittedNameWarnings(file),
  };
}

/**
 * Reads a catalogue file of either format and collects violations; consistency is not checked. The result is only valid
 * without violations. Throws `invalid_request` for a text that is not JSON.
 */
export function readCatalog(text: string, violations: ViolationList): ReadCatalog {
  const document = parse(text);
  if (isModelsDev(document)) return { format: 'models.dev', ...readModelsDev(document, violations) };
  return { format: 'native', file: readNative(document, violations), skipped: {} };
}

function parse(text: string): unknown {
  if (text.length > MAX_FILE_LENGTH) {
    throw invalid([
      { field: '', rule: 'too_long', message: `the file is longer than ${MAX_FILE_LENGTH} characters` },
    ]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : '';
    throw invalid([{ field: '', rule: 'json', message: `the file is not JSON: ${detail}` }]);
  }
}

/** The base's providers and models, replaced by the update's of the same name, and the update's new ones. */
function merge(base: CatalogFile, update: CatalogFile): CatalogFile {
  return {
    providers: [...new Map([...base.providers, ...update.providers].map((one) => [one.slug, one])).values()],
    models: [...new Map([...base.models, ...update.models].map((one) => [one.id, one])).values()],
  };
}
