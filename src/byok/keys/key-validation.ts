/** Rules for new and changed keys that need no look-up. Pure. */
import { type Change, sent } from '../../base/change.js';
import { unknownName } from '../../base/nearest.js';
import type { Violation } from '../../base/problem.js';
import type { AdapterName } from '../../catalog/types.js';
import { workspaceListViolations } from '../further-workspaces.js';
import { type CredentialRules, credentialTextViolation, parseCredential } from '../kinds/credential.js';
import type { ByokKey, Filter } from '../types.js';
import { filterViolations } from './filter-rules.js';
import type { ByokKeyUpdate, NewByokKey } from './inputs.js';

const MAX_NAME_CHARACTERS = 255;

/** The providers of the catalogue. */
export interface ProviderDirectory {
  /** undefined = no such provider. */
  adapterOf(slug: string): AdapterName | undefined;
  slugs(): Iterable<string>;
}

/** The violations of a new key, except for those of its workspace and hashes, which need the store. */
export function createKeyViolations(
  input: NewByokKey,
  providers: ProviderDirectory,
  rules: CredentialRules,
): Violation[] {
  const adapter = providers.adapterOf(input.provider);
  return [
    ...(adapter === undefined ? [unknownProvider(input.provider, providers)] : []),
    ...credentialViolations(input.key, adapter, rules),
    ...nameViolations(input.name),
    ...sectionViolations(input),
    ...zdrViolations(input.declaredZdr),
    ...filterViolations(input),
    ...workspaceListViolations(input.workspaceIds),
  ];
}

/**
 * The violations of an update by itself; the resulting state is checked by `sectionViolations`. Without the adapter of
 * the key's provider, only the size of a credential is checked.
 */
export function updateKeyViolations(
  update: ByokKeyUpdate,
  adapter: AdapterName | undefined,
  rules: CredentialRules,
): Violation[] {
  const key = sent(update.key);
  return [
    ...(key === undefined ? [] : credentialViolations(key, adapter, rules)),
    ...nameViolations(sent(update.name) ?? null),
    ...sectionViolations({
      isFallback: sent(update.isFallback) ?? false,
      isRequired: sent(update.isRequired) ?? false,
      isByokOnly: sent(update.isByokOnly) ?? false,
    }),
    ...zdrViolations(sent(update.declaredZdr) ?? null),
    ...filterViolations({
      allowedModels: sentFilter(update.allowedModels),
      allowedApiKeyHashes: sentFilter(update.allowedApiKeyHashes),
      allowedUserIds: sentFilter(update.allowedUserIds),
    }),
    ...workspaceListViolations(sent(update.workspaceIds)),
    ...sortOrderViolations(sent(update.sortOrder)),
  ];
}

/** `is_required` and `is_byok_only` are for prioritized keys only. */
export function sectionViolations(
  key: Pick<ByokKey, 'isFallback' | 'isRequired' | 'isByokOnly'>,
): Violation[] {
  const flags: string[] = [];
  if (key.isFallback && key.isRequired) flags.push('is_required');
  if (key.isFallback && key.isByokOnly) flags.push('is_byok_only');
  return flags.map((field) => ({ field, rule: 'prioritized_only', message: 'excludes is_fallback' }));
}

/** The violation of a provider that is not in the catalogue. */
export function unknownProvider(provider: string, providers: ProviderDirectory): Violation {
  return unknownName('provider', 'provider', provider, providers.slugs());
}

function credentialViolations(
  text: string,
  adapter: AdapterName | undefined,
  rules: CredentialRules,
): readonly Violation[] {
  if (adapter === undefined) {
    const violation = credentialTextViolation(text);
    return violation === undefined ? [] : [{ field: 'key', ...violation }];
  }
  const parsed = parseCredential(adapter, text, rules);
  return 'ok' in parsed ? [] : parsed.violations;
}

function nameViolations(name: string | null): Violation[] {
  if (name === null || Array.from(name).length <= MAX_NAME_CHARACTERS) return [];
  return [{ field: 'name', rule: 'length', message: `must have at most ${MAX_NAME_CHARACTERS} characters` }];
}

function zdrViolations(declaredZdr: boolean | null): Violation[] {
  if (declaredZdr !== true) return [];
  const message = 'a key never exempts an endpoint from a data policy; send false or null';
  return [{ field: 'declared_zdr', rule: 'not_exempting', message }];
}

function sortOrderViolations(sortOrder: number | undefined): Violation[] {
  if (sortOrder === undefined || (Number.isSafeInteger(sortOrder) && sortOrder >= 0)) return [];
  return [{ field: 'sort_order', rule: 'range', message: 'must be an integer of at least 0' }];
}

/** The filter that an update sets; undefined when it is unchanged. */
export function sentFilter(change: Change<readonly string[]>): Filter | undefined {
  return change.kind === 'clear' ? null : sent(change);
}
