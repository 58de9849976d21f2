import { invalid } from '../base/problem.js';
import { checkCatalog } from './check.js';
import { type CatalogFile, EMPTY_CATALOG } from './input/input.js';
import { ViolationList } from './input/violations.js';
import { isModelsDev, readModelsDev, type SkippedEndpoints } from './models-dev.js';
import { readNative } from './native.js';
import type { CatalogStore } from './store.js';

/** Longest file that is read, in characters; the public models.dev catalogue has 2 million. */
const MAX_FILE_LENGTH = 32 * 1024 * 1024;

/** What an import did. */
export interface ImportSummary {
  readonly format: 'native' | 'models.dev';
  /** Counts of what the file held and the import took. */
  readonly providers: number;
  readonly models: number;
  readonly endpoints: number;
  /** Ids of models that were live and are not any more. */
  readonly retired: readonly string[];
  /** Endpoints of the file that cannot be taken, by reason; empty for a native file. */
  readonly skipped: SkippedEndpoints;
}

interface ReadCatalog {
  readonly format: ImportSummary['format'];
  readonly file: CatalogFile;
  readonly skipped: SkippedEndpoints;
}

/**
 * Imports a native file or one of the public models.dev shapes (interface section 7) in one transaction. It replaces
 * the catalogue; with `merge` it adds and updates only. Throws `invalid_request` naming every fault with its path in
 * the file; nothing changes then.
 */
export async function importCatalog(
  store: CatalogStore,
  text: string,
  options: { readonly merge: boolean },
): Promise<ImportSummary> {
  const violations = new ViolationList();
  const { format, file, skipped } = readCatalog(text, violations);
  let retired: string[] = [];
  await store.replace((live) => {
    const beneath = options.merge ? live : EMPTY_CATALOG;
    checkCatalog(file, beneath, violations);
    violations.throwIfAny();
    const next = layOver(beneath, file);
    const kept = new Set(next.models.map((model) => model.id));
    retired = live.models.map((model) => model.id).filter((id) => !kept.has(id));
    return next;
  });
  return {
    format,
    providers: file.providers.length,
    models: file.models.length,
    endpoints: file.models.reduce((count, model) => count + model.endpoints.length, 0),
    retired,
    skipped,
  };
}

/**
 * Reads a catalogue text of whichever shape, noting faults; how the parts fit is not looked at. The result counts only
 * when no fault was noted. Throws `invalid_request` for a text that is no JSON.
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

/** The providers and models beneath, each replaced by the one of the same name above, and what is only above. */
function layOver(beneath: CatalogFile, above: CatalogFile): CatalogFile {
  return {
    providers: [
      ...new Map([...beneath.providers, ...above.providers].map((one) => [one.slug, one])).values(),
    ],
    models: [...new Map([...beneath.models, ...above.models].map((one) => [one.id, one])).values()],
  };
}
