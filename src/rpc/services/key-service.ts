import { create } from '@bufbuild/protobuf';
import { LimitResetSchema } from '../../../gen/byway/v1/common_pb.js';
import {
  type CreateKeyRequest,
  type GetCurrentKeyResponse,
  GetCurrentKeyResponseSchema,
  type Key as KeyMessage,
  KeySchema,
  KeyService,
  type UpdateKeyRequest,
} from '../../../gen/byway/v1/keys_pb.js';
import { mapChange } from '../../base/change.js';
import { isoTimestamp } from '../../base/clock.js';
import { LastResults } from '../../base/memory/last-results.js';
import { nanoToUsd } from '../../base/money.js';
import type { Violation } from '../../base/problem.js';
import type { ApiKey } from '../../identity/api-key.js';
import { createKey, type KeyDependencies, type NewKey } from '../../identity/create-key.js';
import { deleteKey } from '../../identity/delete-key.js';
import { type EndUser, type EndUserReader, listEndUsers } from '../../identity/end-users.js';
import type { KeyRecord } from '../../identity/key-record.js';
import { checkExpiry } from '../../identity/key-rules.js';
import { getCurrentKey, getKey, listKeys } from '../../identity/read-keys.js';
import { type KeyChanges, updateKey } from '../../identity/update-key.js';
import type { KeyUsage, UsageSums } from '../../ledger/usage.js';
import { reusable } from '../../protobuf/answer-caching.js';
import { enumNumber } from '../../protobuf/spelling.js';
import { type Caller, keyAdministratorOf, principalOf, principalOfKind } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { readChanges } from '../messages/changes.js';
import { intervalOf, namedChange } from '../messages/named-values.js';
import { pageOf } from '../messages/page.js';
import { instantOf, instantViolations, nanoOf, parseInstant } from '../messages/values.js';
import { workspaceViolations } from '../validation/workspace-violations.js';

export interface KeyServiceDependencies extends KeyDependencies {
  readonly endUsers: EndUserReader;
}

export function keyService(dependencies: KeyServiceDependencies): ServiceDefinition {
  const ownKeys = new LastResults<ApiKey, KeyUsage, GetCurrentKeyResponse>();
  return defineService(
    KeyService,
    {
      async listKeys(request, context) {
        const { records, totalCount } = await listKeys(dependencies, keyAdministratorOf(context), {
          ...pageOf(request),
          includeDisabled: request.includeDisabled ?? false,
          workspaceId: request.workspaceId ?? null,
        });
        return { data: records.map(keyMessage), totalCount };
      },
      async createKey(request, context) {
        const { record, secret } = await createKey(
          dependencies,
          keyAdministratorOf(context),
          newKeyOf(request),
        );
        return { data: keyMessage(record), key: secret };
      },
      async getKey(request, context) {
        return { data: keyMessage(await getKey(dependencies, keyAdministratorOf(context), request.hash)) };
      },
      async updateKey(request, context) {
        const hash = request.key?.hash ?? '';
        return {
          data: keyMessage(
            await updateKey(dependencies, keyAdministratorOf(context), hash, changesOf(request)),
          ),
        };
      },
      async deleteKey(request, context) {
        await deleteKey(dependencies, keyAdministratorOf(context), request.hash);
        return { deleted: true };
      },
      async listKeyEndUsers(request, context) {
        const administrator = keyAdministratorOf(context);
        const page = await listEndUsers(dependencies, administrator, request.hash, pageOf(request));
        return { data: page.endUsers.map(endUserMessage), totalCount: page.totalCount };
      },
      async getCurrentKey(_request, context) {
        const record = await getCurrentKey(dependencies, principalOf(context, 'api_key'));
        const { key, usage } = record;
        const last = ownKeys.get(key, usage);
        if (last !== undefined) return reusable(last);
        return ownKeys.set(key, usage, create(GetCurrentKeyResponseSchema, { data: keyMessage(record) }));
      },
    },
    {
      checks: { createKey: ({ expiresAt }) => instantViolations('expires_at', expiresAt) },
      ofInvalid: {
        createKey: (request, caller) => createViolations(dependencies, request, caller),
        listKeys({ workspaceId }, caller) {
          const { accountId } = principalOfKind(caller, 'management_key', 'client');
          return workspaceViolations(workspaceId, (id) => dependencies.store.hadWorkspace(accountId, id));
        },
      },
    },
  );
}

async function createViolations(
  { store, clock }: KeyDependencies,
  { expiresAt, workspaceId }: CreateKeyRequest,
  caller: Caller,
): Promise<Violation[]> {
  const { accountId } = principalOfKind(caller, 'management_key', 'client');
  return [
    ...checkExpiry(parseInstant(expiresAt ?? '') ?? null, clock.now()),
    ...(await workspaceViolations(workspaceId, (id) => store.ownsWorkspace(accountId, id))),
  ];
}

function newKeyOf(request: CreateKeyRequest): NewKey {
  return {
    name: request.name,
    limitNanoUsd: request.limit === undefined ? null : nanoOf('limit', request.limit),
    limitReset: request.limitReset === undefined ? null : intervalOf(request.limitReset),
    includeByokInLimit: request.includeByokInLimit ?? false,
    endUserLimitNanoUsd:
      request.endUserLimit === undefined ? null : nanoOf('end_user_limit', request.endUserLimit),
    endUserLimitReset: request.endUserLimitReset === undefined ? null : intervalOf(request.endUserLimitReset),
    endUserRequired: request.endUserRequired ?? false,
    cacheTtl: request.cacheTtl ?? null,
    expiresAt: request.expiresAt === undefined ? null : instantOf('expires_at', request.expiresAt),
    workspaceId: request.workspaceId ?? null,
    creatorUserId: request.creatorUserId ?? null,
  };
}

function changesOf({ key, updateMask }: UpdateKeyRequest): KeyChanges {
  const change = readChanges(KeySchema, key ?? create(KeySchema), updateMask);
  return {
    name: change('name'),
    disabled: change('disabled'),
    limitNanoUsd: mapChange(change('limit'), (usd) => nanoOf('limit', usd)),
    limitReset: namedChange(change('limitReset'), intervalOf),
    includeByokInLimit: change('includeByokInLimit'),
    endUserLimitNanoUsd: mapChange(change('endUserLimit'), (usd) => nanoOf('end_user_limit', usd)),
    endUserLimitReset: namedChange(change('endUserLimitReset'), intervalOf),
    endUserRequired: change('endUserRequired'),
    cacheTtl: change('cacheTtl'),
  };
}

function keyMessage({ key, usage, limitRemainingNanoUsd }: KeyRecord): KeyMessage {
  const message = create(KeySchema, {
    hash: key.hash,
    name: key.name,
    label: key.label,
    disabled: key.disabled,
    includeByokInLimit: key.includeByokInLimit,
    endUserRequired: key.endUserRequired,
    ...usageFields(usage.usage, usage.byokUsage),
    createdAt: isoTimestamp(key.createdAt),
    updatedAt: isoTimestamp(key.updatedAt),
    creatorUserId: key.creatorUserId,
    workspaceId: key.workspaceId,
  });
  if (key.limitNanoUsd !== null) message.limit = nanoToUsd(key.limitNanoUsd);
  if (limitRemainingNanoUsd !== null) message.limitRemaining = nanoToUsd(limitRemainingNanoUsd);
  const limitReset = enumNumber(LimitResetSchema, key.limitReset);
  if (limitReset !== undefined) message.limitReset = limitReset;
  if (key.endUserLimitNanoUsd !== null) message.endUserLimit = nanoToUsd(key.endUserLimitNanoUsd);
  const endUserLimitReset = enumNumber(LimitResetSchema, key.endUserLimitReset);
  if (endUserLimitReset !== undefined) message.endUserLimitReset = endUserLimitReset;
  if (key.cacheTtl !== null) message.cacheTtl = key.cacheTtl;
  if (key.expiresAt !== null) message.expiresAt = isoTimestamp(key.expiresAt);
  return message;
}

function usageFields(usage: UsageSums, byokUsage: UsageSums) {
  return {
    usage: nanoToUsd(usage.total),
    usageDaily: nanoToUsd(usage.daily),
    usageWeekly: nanoToUsd(usage.weekly),
    usageMonthly: nanoToUsd(usage.monthly),
    byokUsage: nanoToUsd(byokUsage.total),
    byokUsageDaily: nanoToUsd(byokUsage.daily),
    byokUsageWeekly: nanoToUsd(byokUsage.weekly),
    byokUsageMonthly: nanoToUsd(byokUsage.monthly),
  };
}

function endUserMessage({
  name,
  usageNanoUsd,
  byokUsageNanoUsd,
  requests,
  remainingNanoUsd,
  lastAt,
}: EndUser) {
  return {
    endUser: name,
    usage: nanoToUsd(usageNanoUsd),
    byokUsage: nanoToUsd(byokUsageNanoUsd),
    requests: BigInt(requests),
    lastAt: isoTimestamp(lastAt),
    ...(remainingNanoUsd !== null && { remaining: nanoToUsd(remainingNanoUsd) }),
  };
}
