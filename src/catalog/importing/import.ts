import { invalid } from '../../base/problem.js';
import { checkCatalog } from '../assembled/check.js';
import type { CatalogStore, SealHeader } from '../assembled/store.js';
import { type CatalogFile, EMPTY_CATALOG, type ModelInput, SECRET } from '../input/catalog-file.js';
import { CatalogViolations } from '../input/violation-list.js';
import {
  isModelsDev,
  type OnBadEntry,
  readModelsDev,
  type SkippedEndpoints,
} from '../models-dev/models-dev.js';
import { type NativeFile, readNative, writeModel, writeProvider } from '../native/native.js';
import { allowedNameWarnings } from './admitted-names.js';
import { BadEntries, type BadEntry } from './bad-entries.js';
import { changesBetween, type EntryChange } from './changes.js';
import { renamedModels } from './renames.js';
import { type IncomingFile, type Resolved, resolveImport } from './resolve.js';

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
  /** Every member that changed of providers, models and endpoints that existed; missing where none did. */
  readonly changed?: readonly EntryChange[];
  /** What the file says otherwise (`to`) than what stays (`from`), since it is the operator's; missing where nothing is. */
  readonly kept?: readonly EntryChange[];
  /** Entries of a third party's list that can't be taken; missing where there are none. */
  readonly invalid?: { readonly count: number; readonly first: readonly BadEntry[] };
}

export interface ImportOptions {
  /** Adds and updates only. */
  readonly merge: boolean;
  /** Seals the values of headers; without it a file that has some is refused. */
  readonly sealHeader?: SealHeader;
}

interface ReadCatalog {
  readonly format: ImportSummary['format'];
  readonly file: CatalogFile;
  readonly skipped: SkippedEndpoints;
}

/**
 * Imports a native or a models.dev file in one transaction: `docs/catalog.md#importing`. It replaces the catalogue, but for
 * what is the operator's own; with `merge` it only adds and updates. Throws `invalid_request` with all violations and their
 * paths in the file; nothing changes then. Of a models.dev list, entries that can't be taken are left out instead.
 */
export async function importCatalog(
  store: CatalogStore,
  text: string,
  { merge, sealHeader }: ImportOptions,
): Promise<ImportSummary> {
  const document = parse(text);
  const list = isModelsDev(document) ? readList(document) : undefined;
  const violations = new CatalogViolations();
  const native = list?.native ?? readNative(document, violations);
  let summary: Pick<ImportSummary, 'retired' | 'changed' | 'kept'> = { retired: [] };
  let taken: CatalogFile = EMPTY_CATALOG;
  let renamed: readonly ModelInput[] = [];
  await store.replace((live) => {
    const incoming = { file: native, bad: list?.bad ?? null, merge };
    const resolved =
      list === undefined ? resolveImport(live, incoming) : resolveList(live, incoming, list.bad);
    ({ taken } = resolved);
    checkCatalog(taken, resolved.rest, violations);
    checkSecrets(taken, live, violations, sealHeader !== undefined);
    violations.throwIfAny();
    renamed = list === undefined ? [] : renamedModels(live, resolved.next);
    const next = { ...resolved.next, models: [...resolved.next.models, ...renamed] };
    const remaining = new Set(next.models.map((model) => model.id));
    const changed = changesBetween(live, next);
    summary = {
      retired: live.models.map((model) => model.id).filter((id) => !remaining.has(id)),
      ...(changed.length > 0 && { changed }),
      ...(resolved.kept.length > 0 && { kept: resolved.kept }),
    };
    return next;
  }, sealHeader);
  return {
    format: list === undefined ? 'native' : 'models.dev',
    providers: taken.providers.length,
    models: taken.models.length,
    endpoints: taken.models.reduce((count, model) => count + model.endpoints.length, 0),
    ...summary,
    skipped: list?.skipped ?? {},
    warnings: allowedNameWarnings(taken),
    ...(renamed.length > 0 && {
      renamed: Object.fromEntries(renamed.map(({ id, aliasTarget }) => [id, aliasTarget ?? ''])),
    }),
    ...(list !== undefined &&
      list.bad.count > 0 && { invalid: { count: list.bad.count, first: list.bad.named } }),
  };
}

/**
 * Reads a catalogue file of either format and collects violations; consistency is not checked. The result is only valid
 * without violations. Throws `invalid_request` for a text that is not JSON.
 */
export function readCatalog(text: string, violations: CatalogViolations): ReadCatalog {
  const document = parse(text);
  if (isModelsDev(document)) {
    const forward: OnBadEntry = (_provider, _model, found) => {
      for (const { field, rule, message } of found.listed) violations.add(field, rule, message);
    };
    return { format: 'models.dev', ...readModelsDev(document, forward) };
  }
  const { providers, models } = readNative(document, violations);
  const file = { providers: providers.map(({ value }) => value), models: models.map(({ value }) => value) };
  return { format: 'native', file, skipped: {} };
}

interface ReadList {
  readonly native: NativeFile;
  readonly skipped: SkippedEndpoints;
  readonly bad: BadEntries;
}

/** Throws `invalid_request` where nothing of the list can be taken: it is no list of this kind, then. */
function readList(document: unknown): ReadList {
  const bad = new BadEntries();
  const { file, skipped } = readModelsDev(document, (...entry) => bad.add(...entry));
  if (file.models.length === 0) {
    const [first] = bad.named;
    const why =
      first === undefined ? '' : `: of ${bad.count} entries the first is ${first.field}, ${first.message}`;
    throw invalid([{ field: '', rule: 'empty', message: `the list has no model that can be taken${why}` }]);
  }
  return { native: asEntries(file), skipped, bad };
}

function asEntries({ providers, models }: CatalogFile): NativeFile {
  return {
    providers: providers.map((value) => ({ value, origin: 'package', said: writeProvider(value) })),
    models: models.map((value) => ({ value, origin: 'package', said: writeModel(value) })),
  };
}

/** Without the entries of the list that do not go with what stays. */
function resolveList(live: CatalogFile, incoming: IncomingFile, bad: BadEntries): Resolved {
  let { file } = incoming;
  for (;;) {
    const resolved = resolveImport(live, { ...incoming, file });
    const violations = new CatalogViolations();
    checkCatalog(resolved.taken, resolved.rest, violations);
    const unfit = violations.listed.map((fault) => ({ fault, index: indexIn(fault.field) }));
    const indices = new Set(unfit.map(({ index }) => index));
    const models = file.models.filter((_, index) => !indices.has(index));
    if (models.length === file.models.length) return resolved;
    for (const { fault, index } of unfit) {
      const model = file.models[index]?.value;
      const faultsOfOne = new CatalogViolations();
      faultsOfOne.add(fault.field, fault.rule, fault.message);
      if (model !== undefined) bad.add(model.endpoints[0]?.provider ?? '', model.id, faultsOfOne);
    }
    file = { ...file, models };
  }
}

/** The index of the model that a violation names. */
function indexIn(field: string): number {
  return Number(/^models\[(\d+)\]/.exec(field)?.[1] ?? Number.NaN);
}

/** A header's value that is not said must be stored, and one that is said must be storable. */
function checkSecrets(
  { providers }: CatalogFile,
  live: CatalogFile,
  violations: CatalogViolations,
  canSeal: boolean,
): void {
  const stored = new Map(live.providers.map(({ slug, headers = {} }) => [slug, Object.keys(headers)]));
  providers.forEach(({ slug, headers = {} }, index) => {
    const names = (stored.get(slug) ?? []).map((name) => name.toLowerCase());
    for (const [name, value] of Object.entries(headers)) {
      const path = `providers[${index}].headers[${JSON.stringify(name)}]`;
      if (value !== SECRET && !canSeal) violations.add(path, 'secret', 'cannot be stored by this call');
      if (value === SECRET && !names.includes(name.toLowerCase())) {
        violations.add(
          path,
          'secret',
          `is ${SECRET}, but no value is stored: export with --secrets, or write it`,
        );
      }
    }
  });
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
