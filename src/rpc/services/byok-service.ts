import { create } from '@bufbuild/protobuf';
import {
  type ByokKey as ByokKeyMessage,
  ByokKeyRefusalSchema,
  ByokKeySchema,
  ByokKeyTestSchema,
  ByokService,
  type CreateByokKeyRequest,
  type UpdateByokKeyRequest,
} from '../../../gen/byway/v1/byok_pb.js';
import { WarningSchema } from '../../../gen/byway/v1/common_pb.js';
import { mustNotBeNull } from '../../base/change.js';
import { isoTimestamp } from '../../base/clock.js';
import { invalid, type Violation } from '../../base/problem.js';
import type { Signal } from '../../base/signal.js';
import type { ByokKeyUpdate, NewByokKey } from '../../byok/keys/inputs.js';
import type { ProviderDirectory } from '../../byok/keys/key-validation.js';
import { ByokKeys, type ByokKeysDependencies } from '../../byok/keys/keys.js';
import { type KeyTestDependencies, testKey } from '../../byok/trial/test-key.js';
import type { KeyTest } from '../../byok/trial/test-verdict.js';
import type { ByokKey } from '../../byok/types.js';
import { filterWarnings } from '../../byok/warnings/filter-warnings.js';
import { credentialWarnings, type WarningDependencies } from '../../byok/warnings/stored-warnings.js';
import type { Catalog, CatalogCache } from '../../catalog/assembled/catalog.js';
import { managerOf, principalOfKind } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { readChanges } from '../messages/changes.js';
import { defined } from '../messages/defined.js';
import { listOf, namesChange, namesIn } from '../messages/named-values.js';
import { pageOf } from '../messages/page.js';
import { workspaceViolations } from '../validation/workspace-violations.js';

export interface ByokServiceDependencies extends Omit<ByokKeysDependencies, 'providers'> {
  readonly catalogs: Pick<CatalogCache, 'current'>;
  readonly tests: Omit<KeyTestDependencies & WarningDependencies, 'catalogs'>;
}

export function byokService({
  catalogs,
  tests,
  ...dependencies
}: ByokServiceDependencies): ServiceDefinition {
  const keys = async () =>
    new ByokKeys({ ...dependencies, providers: directoryOf(await catalogs.current()) });
  const messagesOf = async (accountId: string, stored: readonly ByokKey[]) => {
    const { store, clock } = dependencies;
    const ofCredentials = await credentialWarnings({ ...tests, catalogs }, accountId, stored);
    const ofFilters = await filterWarnings(store, accountId, stored, await catalogs.current(), clock.now());
    return stored.map((key, index) =>
      keyMessage(key, [...(ofCredentials.get(key.id) ?? []), ...(ofFilters[index] ?? [])]),
    );
  };
  /** What was stored, and what comes of it where a test is asked for. */
  const answer = async (accountId: string, key: ByokKey, isTested: boolean | undefined, signal: Signal) => {
    const [data] = await messagesOf(accountId, [key]);
    if (isTested !== true) return { data };
    return { data, test: testMessage(await testKey({ ...tests, catalogs }, accountId, key.id, signal)) };
  };
  return defineService(
    ByokService,
    {
      async listByokKeys(request, context) {
        const { accountId } = managerOf(context);
        const { workspaceId = null, provider = null } = request;
        const page = await (await keys()).list(accountId, { ...pageOf(request), workspaceId, provider });
        return { data: await messagesOf(accountId, page.keys), totalCount: page.totalCount };
      },
      async createByokKey(request, context) {
        const { accountId } = managerOf(context);
        const key = await (await keys()).create(accountId, newKeyOf(request));
        return answer(accountId, key, request.test, context.signal);
      },
      async getByokKey({ id }, context) {
        const { accountId } = managerOf(context);
        return answer(accountId, await (await keys()).get(accountId, id), false, context.signal);
      },
      async updateByokKey(request, context) {
        const { accountId } = managerOf(context);
        const key = await (await keys()).update(accountId, request.byokKey?.id ?? '', updateOf(request));
        return answer(accountId, key, request.byokKey?.test, context.signal);
      },
      async testByokKey({ id }, context) {
        const { accountId } = managerOf(context);
        return { data: testMessage(await testKey({ ...tests, catalogs }, accountId, id, context.signal)) };
      },
      async deleteByokKey({ id }, context) {
        await (await keys()).remove(managerOf(context).accountId, id);
        return { deleted: true };
      },
    },
    {
      ofInvalid: {
        listByokKeys({ workspaceId }, caller) {
          const { accountId } = principalOfKind(caller, 'management_key');
          return workspaceViolations(workspaceId, (id) => dependencies.store.hadWorkspace(accountId, id));
        },
        async createByokKey(request, caller) {
          const { accountId } = principalOfKind(caller, 'management_key');
          return (await keys()).createViolations(accountId, newKeyOf(request));
        },
        async updateByokKey(request, caller) {
          const { accountId } = principalOfKind(caller, 'management_key');
          return (await keys()).updateViolations(accountId, request.byokKey?.id ?? '', updateOf(request));
        },
      },
    },
  );
}

function directoryOf({ providers }: Catalog): ProviderDirectory {
  return { adapterOf: (slug) => providers.get(slug)?.adapter, slugs: () => providers.keys() };
}

function newKeyOf(request: CreateByokKeyRequest): NewByokKey {
  return {
    provider: request.provider,
    key: request.key,
    name: request.name ?? null,
    disabled: request.disabled ?? false,
    isFallback: request.isFallback ?? false,
    isRequired: request.isRequired ?? false,
    isByokOnly: request.isByokOnly ?? false,
    declaredZdr: request.declaredZdr ?? null,
    allowedModels: namesIn(request.allowedModels),
    allowedApiKeyHashes: namesIn(request.allowedApiKeyHashes),
    allowedUserIds: namesIn(request.allowedUserIds),
    workspaceId: request.workspaceId ?? null,
    workspaceIds: namesIn(request.workspaceIds),
  };
}

/** Throws a 400 Problem that names every required field which the mask would clear. */
function updateOf({ byokKey, updateMask }: UpdateByokKeyRequest): ByokKeyUpdate {
  const change = readChanges(ByokKeySchema, byokKey ?? create(ByokKeySchema), updateMask);
  const update: ByokKeyUpdate = {
    key: change('key'),
    name: change('name'),
    disabled: change('disabled'),
    isFallback: change('isFallback'),
    isRequired: change('isRequired'),
    isByokOnly: change('isByokOnly'),
    declaredZdr: change('declaredZdr'),
    allowedModels: namesChange(change('allowedModels')),
    allowedApiKeyHashes: namesChange(change('allowedApiKeyHashes')),
    allowedUserIds: namesChange(change('allowedUserIds')),
    workspaceIds: namesChange(change('workspaceIds')),
    sortOrder: change('sortOrder'),
  };
  const violations = NOT_NULL_FIELDS.flatMap(([name, field]) => mustNotBeNull(field, update[name]));
  if (violations.length > 0) throw invalid(violations);
  return update;
}

const NOT_NULL_FIELDS = [
  ['key', 'key'],
  ['disabled', 'disabled'],
  ['isFallback', 'is_fallback'],
  ['isRequired', 'is_required'],
  ['isByokOnly', 'is_byok_only'],
  ['sortOrder', 'sort_order'],
] as const satisfies readonly (readonly [keyof ByokKeyUpdate, string])[];

function keyMessage(key: ByokKey, warnings: readonly Violation[]): ByokKeyMessage {
  const { id, provider, workspaceId, label, disabled, isFallback, isRequired, isByokOnly, sortOrder } = key;
  return create(ByokKeySchema, {
    id,
    provider,
    workspaceId,
    label,
    disabled,
    isFallback,
    isRequired,
    isByokOnly,
    sortOrder,
    createdAt: isoTimestamp(key.createdAt),
    warnings: warnings.map((warning) => create(WarningSchema, warning)),
    ...defined({
      name: key.name,
      declaredZdr: key.declaredZdr,
      refusal: refusalMessage(key.refusal),
      allowedModels: listOf(key.allowedModels),
      allowedApiKeyHashes: listOf(key.allowedApiKeyHashes),
      allowedUserIds: listOf(key.allowedUserIds),
      workspaceIds: listOf(key.workspaceIds),
    }),
  });
}

function refusalMessage(refusal: ByokKey['refusal']) {
  if (refusal === undefined || refusal === null) return null;
  const { reason, status, at } = refusal;
  return create(ByokKeyRefusalSchema, { reason, refusedAt: isoTimestamp(at), ...defined({ status }) });
}

function testMessage({ status, ...test }: KeyTest) {
  return create(ByokKeyTestSchema, { ...test, ...defined({ status }) });
}
