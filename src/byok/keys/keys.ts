/** The administration of stored keys, with one transaction per change. */
import { applyRequired, sent } from '../../base/change.js';
import type { Clock } from '../../base/clock.js';
import { type Ids, isUuid } from '../../base/ids.js';
import { invalid, notFound, type Violation } from '../../base/problem.js';
import { deduplicate } from '../../base/text.js';
import type { AdapterName } from '../../catalog/types.js';
import { UNKNOWN_WORKSPACE } from '../../identity/key-rules.js';
import { unknownWorkspaceViolations, workspacesToResolve } from '../further-workspaces.js';
import { type Credential, type CredentialRules, parseCredential } from '../kinds/credential.js';
import type { ByokKey, Filter } from '../types.js';
import type { Vault } from '../vault/vault.js';
import { hashesToResolve, unresolvedHashViolations } from './filter-rules.js';
import type { ByokKeyQuery, ByokKeyUpdate, NewByokKey } from './inputs.js';
import { applyUpdate, furtherWorkspaces, isChanged } from './key-update.js';
import {
  createKeyViolations,
  type ProviderDirectory,
  sectionViolations,
  sentFilter,
  updateKeyViolations,
} from './key-validation.js';
import { labelOf } from './label.js';
import type { ByokKeyPage, ByokLookups, ByokStore } from './ports.js';
import { move } from './sections.js';

export interface ByokKeysDependencies {
  readonly store: ByokStore;
  readonly vault: Vault;
  readonly providers: ProviderDirectory;
  readonly rules: CredentialRules;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Creates, reads, updates and deletes keys. Each call acts for one account and sees no other. */
export class ByokKeys {
  readonly #dependencies: ByokKeysDependencies;

  constructor(dependencies: ByokKeysDependencies) {
    this.#dependencies = dependencies;
  }

  /** The violations of a new key in the current state of the store. */
  async createViolations(accountId: string, input: NewByokKey): Promise<Violation[]> {
    const { store, providers, rules, clock } = this.#dependencies;
    return [
      ...createKeyViolations(input, providers, rules),
      ...(await referenceViolations(store, accountId, input, clock.now())),
    ];
  }

  /** Stores a credential at the end of its section. Throws a 400 with all violations. */
  async create(accountId: string, input: NewByokKey): Promise<ByokKey> {
    const { store, vault, clock, ids, providers, rules } = this.#dependencies;
    const ownViolations = createKeyViolations(input, providers, rules);
    const credential = readCredential(providers.adapterOf(input.provider), input.key, rules);
    return store.transact(async (tx) => {
      const now = clock.now();
      const workspaceId = await tx.workspaceId(accountId, input.workspaceId);
      const violations = [...ownViolations, ...(await referenceViolations(tx, accountId, input, now))];
      if (violations.length > 0 || workspaceId === undefined || credential === undefined)
        throw invalid(violations);
      const id = ids.uuid();
      const key: ByokKey = {
        id,
        accountId,
        workspaceId,
        provider: input.provider,
        label: labelOf(credential),
        name: input.name,
        disabled: input.disabled,
        isRequired: input.isRequired,
        isByokOnly: input.isByokOnly,
        declaredZdr: input.declaredZdr === null ? null : false,
        allowedModels: deduplicate(input.allowedModels),
        allowedApiKeyHashes: deduplicate(input.allowedApiKeyHashes),
        allowedUserIds: deduplicate(input.allowedUserIds),
        workspaceIds: furtherWorkspaces(input.workspaceIds),
        isFallback: input.isFallback,
        sortOrder: await tx.sectionSize({
          workspaceId,
          provider: input.provider,
          isFallback: input.isFallback,
        }),
        createdAt: now,
        updatedAt: now,
      };
      await tx.insert(key, vault.seal(input.key, { id, accountId }));
      return key;
    });
  }

  /** The account's keys by creation time, then id. Throws a 400 for a workspace that it has never had. */
  async list(accountId: string, query: ByokKeyQuery): Promise<ByokKeyPage> {
    const { store } = this.#dependencies;
    if (query.workspaceId !== null && !(await store.hadWorkspace(accountId, query.workspaceId))) {
      throw invalid([UNKNOWN_WORKSPACE]);
    }
    return store.list(accountId, query);
  }

  /** Throws a 404 for a malformed, an unknown and another account's id. */
  async get(accountId: string, id: string): Promise<ByokKey> {
    return found(await findKey(this.#dependencies.store, accountId, id));
  }

  /** The violations of an update in the current state; for an unknown key, those of the update by itself. */
  async updateViolations(accountId: string, id: string, update: ByokKeyUpdate): Promise<Violation[]> {
    const { store } = this.#dependencies;
    return this.#updateViolations(store, accountId, await findKey(store, accountId, id), update);
  }

  /**
   * Changes what the update names. Throws a 400 with all violations, those of the resulting state included; and a 404 as
   * `get` does for a valid update.
   */
  async update(accountId: string, id: string, update: ByokKeyUpdate): Promise<ByokKey> {
    const { store, vault, clock } = this.#dependencies;
    const text = applyRequired<string | undefined>(update.key, undefined);
    const sortOrder = applyRequired<number | undefined>(update.sortOrder, undefined);
    return store.transact(async (tx) => {
      const stored = await findKey(tx, accountId, id);
      const violations = await this.#updateViolations(tx, accountId, stored, update);
      if (violations.length > 0) throw invalid(violations);
      const current = found(stored);
      const credential = text === undefined ? undefined : this.#credentialOf(current, text);
      const wanted = applyUpdate(current, update, credential);
      const destination = { isFallback: wanted.isFallback, sortOrder };
      const moved = move(current, destination, await tx.sectionSize(wanted));
      const next = { ...wanted, ...moved.position };
      if (text === undefined && !isChanged(current, next)) return current;
      const changed = {
        ...next,
        ...(text !== undefined && 'refusal' in next && { refusal: null }),
        updatedAt: clock.now(),
      };
      if (moved.shifts.length > 0) await tx.rearrange(current, current, moved);
      await tx.replace(current, changed, text === undefined ? undefined : vault.seal(text, current));
      return changed;
    });
  }

  /** Deletes the key and its credential, and closes the gap in its section. Throws a 404 as `get` does. */
  async remove(accountId: string, id: string): Promise<void> {
    await this.#dependencies.store.transact(async (tx) => {
      const key = found(await findKey(tx, accountId, id));
      await tx.delete(key);
      await tx.closeGap(key);
    });
  }

  async #updateViolations(
    lookups: ByokLookups,
    accountId: string,
    stored: ByokKey | undefined,
    update: ByokKeyUpdate,
  ): Promise<Violation[]> {
    const { providers, rules, clock } = this.#dependencies;
    const adapter = stored === undefined ? undefined : providers.adapterOf(stored.provider);
    const ownViolations = updateKeyViolations(update, adapter, rules);
    if (stored === undefined) return ownViolations;
    const wanted = applyUpdate(stored, update, undefined);
    return [
      ...ownViolations,
      ...sectionViolations(wanted).filter(
        ({ field }) => !ownViolations.some((violation) => violation.field === field),
      ),
      ...(update.key.kind === 'set' && adapter === undefined ? [RETIRED_PROVIDER] : []),
      ...(await hashViolations(lookups, accountId, sentFilter(update.allowedApiKeyHashes), clock.now())),
      ...(await furtherViolations(lookups, accountId, sent(update.workspaceIds))),
    ];
  }

  #credentialOf({ provider }: ByokKey, text: string): Credential | undefined {
    const { providers, rules } = this.#dependencies;
    return readCredential(providers.adapterOf(provider), text, rules);
  }
}

const RETIRED_PROVIDER: Violation = {
  field: 'key',
  rule: 'known_provider',
  message: "cannot be checked: the key's provider is no longer in the catalogue",
};

/** A malformed id names no key. */
async function findKey(
  store: Pick<ByokStore, 'find'>,
  accountId: string,
  id: string,
): Promise<ByokKey | undefined> {
  return isUuid(id) ? store.find(accountId, id) : undefined;
}

function found(key: ByokKey | undefined): ByokKey {
  if (key === undefined) throw notFound();
  return key;
}

function readCredential(
  adapter: AdapterName | undefined,
  text: string,
  rules: CredentialRules,
): Credential | undefined {
  const parsed = adapter === undefined ? undefined : parseCredential(adapter, text, rules);
  return parsed !== undefined && 'ok' in parsed ? parsed.ok : undefined;
}

/** Violations for a workspace and for API keys that the account does not have. */
async function referenceViolations(
  lookups: ByokLookups,
  accountId: string,
  { workspaceId, allowedApiKeyHashes, workspaceIds }: NewByokKey,
  now: number,
): Promise<Violation[]> {
  const isKnown = (await lookups.workspaceId(accountId, workspaceId)) !== undefined;
  return [
    ...(isKnown ? [] : [UNKNOWN_WORKSPACE]),
    ...(await hashViolations(lookups, accountId, allowedApiKeyHashes, now)),
    ...(await furtherViolations(lookups, accountId, workspaceIds)),
  ];
}

async function furtherViolations(
  lookups: ByokLookups,
  accountId: string,
  ids: readonly string[] | null | undefined,
): Promise<Violation[]> {
  const named = workspacesToResolve(ids);
  const known = named.length === 0 ? new Set<string>() : await lookups.workspacesAmong(accountId, named);
  return unknownWorkspaceViolations(ids, known);
}

async function hashViolations(
  lookups: ByokLookups,
  accountId: string,
  hashes: Filter | undefined,
  now: number,
): Promise<Violation[]> {
  const unresolved = hashesToResolve(hashes);
  if (unresolved.length === 0) return [];
  return unresolvedHashViolations(hashes, await lookups.liveHashes(accountId, unresolved, now));
}
