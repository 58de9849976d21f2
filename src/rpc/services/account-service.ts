import { create } from '@bufbuild/protobuf';
import {
  AccountService,
  type ListActivityRequest,
  OrganizationRole,
  PreferencesSchema,
  type UpdatePreferencesRequest,
} from '../../../gen/byway/v1/accounts_pb.js';
import { DataCollectionSchema, ProviderSortSchema } from '../../../gen/byway/v1/chat_pb.js';
import { WarningSchema } from '../../../gen/byway/v1/common_pb.js';
import type { AccountMember, AccountMemberStore } from '../../accounts/account/account-members.js';
import {
  type ActivityDependencies,
  type ActivityQuery,
  type ActivityRow,
  activityViolations,
  listActivity,
} from '../../accounts/activity.js';
import {
  accountPreferenceViolations,
  type PreferenceChanges,
  type PreferenceDependencies,
  type Preferences,
  updatePreferences,
} from '../../accounts/policy/preferences.js';
import { preferenceWarnings } from '../../accounts/policy/rule-warnings.js';
import type { RecordNames } from '../../accounts/record-names.js';
import { orderViolations } from '../../accounts/rules.js';
import { isoTimestamp } from '../../base/clock.js';
import { nanoToUsd } from '../../base/money.js';
import { notFound, type Violation } from '../../base/problem.js';
import type { Catalog, CatalogCache } from '../../catalog/assembled/catalog.js';
import { type Client, type ClientDependencies, createClient, deleteClient } from '../../identity/client.js';
import type { CreditStore } from '../../ledger/credits.js';
import type { ListedRun, RunStore } from '../../ledger/runs.js';
import { enumNumber } from '../../protobuf/spelling.js';
import { managerOf, principalOf, principalOfKind } from '../caller.js';
import { defineService, type ServiceDefinition } from '../define-service.js';
import { readChanges } from '../messages/changes.js';
import { defined } from '../messages/defined.js';
import { dataCollectionOf, listOf, namedChange, namesChange, sortOf } from '../messages/named-values.js';
import { pageOf } from '../messages/page.js';
import { apiKeyNames, workspaceNames } from '../messages/record-names.js';
import { instantOf, instantViolations, parseInstant } from '../messages/values.js';
import { wordsOf } from '../messages/words.js';
import { workspaceViolations } from '../validation/workspace-violations.js';

export interface AccountServiceDependencies extends ClientDependencies {
  readonly preferences: PreferenceDependencies;
  readonly credits: Pick<CreditStore, 'balanceOf'>;
  readonly activity: ActivityDependencies;
  readonly members: AccountMemberStore;
  readonly catalogs: Pick<CatalogCache, 'current'>;
  readonly runs: Pick<RunStore, 'list'>;
}

export function accountService(dependencies: AccountServiceDependencies): ServiceDefinition {
  const { store, preferences, credits, activity, members, catalogs, runs } = dependencies;
  const message = async (stored: Preferences) =>
    preferencesMessage(stored, preferenceWarnings(stored, await preferences.knownNames()));
  return defineService(
    AccountService,
    {
      async getPreferences(_request, context) {
        const { accountId } = managerOf(context);
        return { data: await message(await preferences.store.findPreferences(accountId)) };
      },
      async updatePreferences(request, context) {
        const { accountId } = managerOf(context);
        return { data: await message(await updatePreferences(preferences, accountId, changesOf(request))) };
      },
      async getCredits(_request, context) {
        const found = await credits.balanceOf(managerOf(context).accountId);
        if (found === undefined) throw notFound();
        const { topUpNanoUsd, total } = found.balance;
        const charged = total.creditNanoUsd;
        if (found.plan === 'unbilled')
          return { data: { totalUsage: nanoToUsd(charged + found.unbilledNanoUsd) } };
        return { data: { totalCredits: nanoToUsd(topUpNanoUsd), totalUsage: nanoToUsd(charged) } };
      },
      async listActivity(request, context) {
        const { accountId } = managerOf(context);
        const page = await listActivity(activity, accountId, activityQueryOf(request));
        const { records, totalCount, isTotalExact, nameOf } = page;
        const catalog = await catalogs.current();
        const data = records.map((row) => activityMessage(row, nameOf, catalog));
        return { data, totalCount, totalCountExact: isTotalExact };
      },
      async listRuns(request, context) {
        const principal = principalOf(context, 'api_key', 'management_key');
        const { apiKeyHash, from, to } = request;
        const own = principal.kind === 'api_key' ? [principal.keyHash] : [];
        const filter = {
          apiKeyHashes: apiKeyHash === undefined ? own : [...own, apiKeyHash],
          from: from === undefined ? null : instantOf('from', from),
          to: to === undefined ? null : instantOf('to', to),
        };
        const page = await runs.list(principal.accountId, filter, pageOf(request));
        const { totalCount, isTotalExact } = page;
        return { data: page.runs.map(runMessage), totalCount, totalCountExact: isTotalExact };
      },
      async listClients(request, context) {
        const { accountId } = managerOf(context);
        const { clients, totalCount } = await store.listClients(accountId, pageOf(request));
        return { data: clients.map(clientMessage), totalCount };
      },
      async createClient(request, context) {
        const { client, secret } = await createClient(dependencies, managerOf(context), {
          name: request.name,
          userId: request.userId ?? null,
        });
        return { data: clientMessage(client), clientSecret: secret };
      },
      async deleteClient(request, context) {
        await deleteClient(dependencies, managerOf(context), request.id);
        return { deleted: true };
      },
      async listOrganizationMembers(request, context) {
        const { accountId } = managerOf(context);
        const { records, totalCount } = await members.listAccountMembers(accountId, pageOf(request));
        return { data: records.map(memberMessage), totalCount };
      },
    },
    {
      checks: {
        listActivity: dateViolations,
        listRuns: async ({ from, to }) => [
          ...instantViolations('from', from),
          ...instantViolations('to', to),
          ...orderViolations(parseInstant(from ?? ''), parseInstant(to ?? '')),
        ],
      },
      ofInvalid: {
        updatePreferences: async (request) =>
          accountPreferenceViolations(changesOf(request), await preferences.knownNames()),
        async listActivity(request, caller) {
          const { accountId } = principalOfKind(caller, 'management_key');
          return [
            ...activityViolations(activityQueryOf(request)),
            ...(await workspaceViolations(request.workspaceId, (id) =>
              activity.names.hadWorkspace(accountId, id),
            )),
          ];
        },
      },
    },
  );
}

/** Throws a 400 Problem for a path that is unknown. */
function changesOf({ preferences, updateMask }: UpdatePreferencesRequest): PreferenceChanges {
  const change = readChanges(PreferencesSchema, preferences ?? create(PreferencesSchema), updateMask);
  return {
    allowedProviders: namesChange(change('allowedProviders')),
    ignoredProviders: namesChange(change('ignoredProviders')),
    zdr: change('zdr'),
    dataCollection: namedChange(change('dataCollection'), dataCollectionOf),
    defaultSort: namedChange(change('defaultSort'), sortOf),
  };
}

function preferencesMessage(preferences: Preferences, warnings: readonly Violation[]) {
  return {
    zdr: preferences.zdr,
    warnings: warnings.map((warning) => create(WarningSchema, warning)),
    ...defined({
      allowedProviders: listOf(preferences.allowedProviders),
      ignoredProviders: listOf(preferences.ignoredProviders),
      dataCollection: enumNumber(DataCollectionSchema, preferences.dataCollection) ?? null,
      defaultSort: enumNumber(ProviderSortSchema, preferences.defaultSort) ?? null,
    }),
  };
}

function dateViolations({ date, from, to }: ListActivityRequest): Violation[] {
  if (date === undefined || (from === undefined && to === undefined)) return [];
  return [{ field: 'date', rule: 'conflict', message: 'must be left out where from or to is given' }];
}

function activityQueryOf(request: ListActivityRequest): ActivityQuery {
  const { date = null, from = date, to = date, apiKeyHash = null, workspaceId = null } = request;
  return { ...pageOf(request), from, to, apiKeyHash, workspaceId, groupBy: wordsOf(request.groupBy) };
}

function activityMessage(row: ActivityRow, nameOf: RecordNames, { providers, resolve }: Catalog) {
  const { date, hour, model, provider = '', workspaceId = '', apiKeyHash = '', userId, api } = row;
  const { runId = '', run = '', agentId = '', endUser = '' } = row;
  const { requests, refused, failed, latencyMs, firstTokenMs } = row;
  return {
    ...defined({ date, hour, model, provider, workspaceId, apiKeyHash, userId, api }),
    ...defined({ runId, run, agentId, endUser, latencyMs, firstTokenMs }),
    ...(workspaceId === '' ? { workspaceName: '' } : workspaceNames(workspaceId, nameOf)),
    ...(apiKeyHash === '' ? { apiKeyName: '' } : apiKeyNames(apiKeyHash, nameOf)),
    requests,
    refused,
    failed,
    promptTokens: BigInt(row.promptTokens),
    completionTokens: BigInt(row.completionTokens),
    reasoningTokens: BigInt(row.reasoningTokens),
    cachedTokens: BigInt(row.cachedTokens),
    usage: nanoToUsd(row.usageNanoUsd),
    byokUsage: nanoToUsd(row.byokUsageNanoUsd),
    byokUsageInference: nanoToUsd(row.byokUsageNanoUsd),
    byokFee: nanoToUsd(row.byokFeeNanoUsd),
    providerName: providers.get(provider ?? '')?.name ?? provider ?? '',
    modelPermaslug: resolve(model ?? '')?.model.canonicalSlug ?? model ?? '',
  };
}

function runMessage(run: ListedRun) {
  const { id, name, apiKeyHash, workspaceId, requests, limitNanoUsd, firstAt, lastAt } = run;
  return {
    ...{ id, name, apiKeyHash, workspaceId },
    requests: BigInt(requests),
    usage: nanoToUsd(run.usageNanoUsd),
    byokUsage: nanoToUsd(run.byokUsageNanoUsd),
    ...defined({ limitUsd: limitNanoUsd === null ? null : nanoToUsd(limitNanoUsd) }),
    firstAt: isoTimestamp(firstAt),
    lastAt: isoTimestamp(lastAt),
  };
}

function memberMessage({ userId, isOwner }: AccountMember) {
  return { id: userId, role: isOwner ? OrganizationRole.ADMIN : OrganizationRole.MEMBER };
}

function clientMessage({ id, name, userId, createdAt }: Client) {
  return { id, name, userId, createdAt: isoTimestamp(createdAt) };
}
