/** Compares the results of the gateway with the expected ones; returns a line for each difference. */
import { DEFAULT_GROUPS } from '../../../src/accounts/activity.js';
import { listKeys } from '../../../src/identity/read-keys.js';
import { receiptMessage } from '../../../src/rpc/messages/receipt-message.js';
import { totalsViolations } from '../../../src/store/ledger/totals.js';
import { chargeViolations, termsViolations } from '../../../src/store/maintenance/invariants.js';
import { usageViolations } from '../../../src/store/usage/usage-check.js';
import { ANY_GENERATION } from '../../support/generations.js';
import { dayOf, type Window } from './calendar.js';
import type { Charged, Expected } from './expected.js';
import { compareReceipt } from './receipt.js';
import type { Answer, Case } from './scripted-request.js';
import type { Account, Payer, World } from './world.js';

const WINDOWS = { total: null, daily: 'daily', weekly: 'weekly', monthly: 'monthly' } as const;

/** Compares the generation record and the answer of a request. */
export async function compareRequest(
  { stores }: World,
  one: Case,
  answer: Answer,
  charged: Charged,
): Promise<string[]> {
  const { account, apiKeyHash } = one.payer;
  const page = { offset: 0, limit: 1000, after: null };
  const times = { from: one.startedAt, to: one.startedAt + 1 };
  const filter = { ...ANY_GENERATION, ...times, apiKeyHashes: [apiKeyHash] };
  const { generations } = await stores.generations.list(account.id, filter, page);
  const [record, ...more] = generations.filter(({ requestId }) => requestId === one.id);
  const { promptNanoUsd, completionNanoUsd, allowanceLeftNanoUsd: _, ...amounts } = charged;
  const differences = more.map(() => `request ${one.id} is recorded more than once`);
  if (record === undefined) return [`request ${one.id} is not recorded`];
  for (const [name, amount] of Object.entries(amounts)) {
    differences.push(...differ(`request ${one.id} ${name}`, Reflect.get(record, name), amount));
  }
  const receipt = await stores.receipts.find(record.id, { accountId: account.id, apiKeyHash });
  if (receipt == null) differences.push(`request ${one.id} has no receipt`);
  else differences.push(...compareReceipt(receiptMessage(receipt), one, charged));
  if (one.fails || !('usage' in answer)) {
    return 'usage' in answer === one.fails
      ? [...differences, `request ${one.id}: ${JSON.stringify(answer)}`]
      : differences;
  }
  const { cost, is_byok, cost_details: details, prompt_tokens, completion_tokens } = answer.usage;
  const upstream = amounts.upstreamInferenceCostNanoUsd;
  const name = `answer ${one.id}`;
  return [
    ...differences,
    ...differ(`${name} is_byok`, is_byok, one.byokKeyId !== null),
    ...differ(`${name} prompt_tokens`, prompt_tokens, one.metered.promptTokens),
    ...differ(`${name} completion_tokens`, completion_tokens, one.metered.completionTokens),
    ...differ(`${name} cost`, cost, usd(amounts.usageNanoUsd)),
    ...differ(
      `${name} upstream cost`,
      details.upstream_inference_cost,
      upstream === null ? null : usd(upstream),
    ),
    ...differ(`${name} prompt cost`, details.upstream_inference_prompt_cost, usd(promptNanoUsd)),
    ...differ(
      `${name} completions cost`,
      details.upstream_inference_completions_cost,
      usd(completionNanoUsd),
    ),
  ];
}

/** Compares the current totals of keys, workspaces and accounts. */
export async function compareTotals(
  world: World,
  expected: Expected,
  payers: readonly Payer[],
): Promise<string[]> {
  const accounts = new Map(payers.map(({ account }) => [account.id, account]));
  const workspaces = new Set(payers.map(({ workspaceId }) => workspaceId));
  const differences: string[] = [];
  for (const account of accounts.values()) {
    differences.push(...(await compareAccount(world, expected, account)));
    differences.push(...(await compareKeys(world, expected, account)));
  }
  for (const id of workspaces) differences.push(...(await compareWorkspace(world, expected, id)));
  return differences;
}

/** Compares all activity, and runs the checks of `byway db check`. */
export async function compareLedger(
  world: World,
  expected: Expected,
  payers: readonly Payer[],
): Promise<string[]> {
  const { database, stores } = world;
  const differences = [
    ...(await totalsViolations(database)),
    ...(await chargeViolations(database)),
    ...(await termsViolations(database)),
    ...(await usageViolations(database)),
  ];
  const everything = {
    fromMs: null,
    beforeMs: null,
    apiKeyHash: null,
    workspaceId: null,
    groupBy: DEFAULT_GROUPS,
    offset: 0,
    limit: 1e9,
  };
  for (const id of new Set(payers.map(({ account }) => account.id))) {
    const { records, totalCount } = await stores.activity.readActivity(id, everything);
    const rows = expected.activity.get(id) ?? new Map();
    differences.push(...differ(`activity of ${id}`, totalCount, rows.size));
    for (const { date, model, provider, workspaceId, apiKeyHash, ...sums } of records) {
      const name = [date, model, provider, workspaceId, apiKeyHash].join(' ');
      const { requests, promptTokens, completionTokens, reasoningTokens, usageNanoUsd, byokUsageNanoUsd } =
        sums;
      const counts = [requests, promptTokens, completionTokens, reasoningTokens].map(BigInt);
      const found = [...counts, usageNanoUsd, byokUsageNanoUsd].join(' ');
      differences.push(...differ(`activity ${name}`, found, rows.get(name)?.join(' ')));
    }
  }
  return differences;
}

async function compareKeys(world: World, expected: Expected, account: Account): Promise<string[]> {
  const { stores, common, clock } = world;
  const query = { includeDisabled: true, workspaceId: null, offset: 0, limit: 100 };
  const dependencies = { store: stores.keys, usage: stores.usage, ...common };
  const { records } = await listKeys(dependencies, account.manager, query);
  const today = dayOf(clock.nowMs);
  return records.flatMap(({ key, usage: { usage, byokUsage }, limitRemainingNanoUsd }) => {
    const differences: string[] = [];
    for (const name of ['total', 'daily', 'weekly', 'monthly'] as const) {
      const { creditNanoUsd, byokNanoUsd } = expected.sums.within(key.hash, WINDOWS[name], today);
      differences.push(...differ(`key ${key.hash} usage ${name}`, usage[name], creditNanoUsd));
      differences.push(...differ(`key ${key.hash} byok_usage ${name}`, byokUsage[name], byokNanoUsd));
    }
    const remaining = remainingOf(expected, key.hash, today);
    return [...differences, ...differ(`key ${key.hash} limit_remaining`, limitRemainingNanoUsd, remaining)];
  });
}

function remainingOf(expected: Expected, hash: string, today: number): bigint | null {
  const limit = expected.limits.get(hash);
  if (limit === undefined || limit.limitNanoUsd === null) return null;
  const { creditNanoUsd, byokNanoUsd } = expected.sums.within(hash, limit.limitReset, today);
  const rest = limit.limitNanoUsd - creditNanoUsd - (limit.includeByokInLimit ? byokNanoUsd : 0n);
  return rest > 0n ? rest : 0n;
}

async function compareWorkspace({ stores, clock }: World, expected: Expected, id: string): Promise<string[]> {
  const differences: string[] = [];
  for (const window of Object.values(WINDOWS) satisfies Window[]) {
    const { creditNanoUsd, byokNanoUsd } = expected.sums.within(id, window, dayOf(clock.nowMs));
    const spent = (includeByok: boolean) =>
      stores.workspaceSpend.spentWithin(id, window, includeByok, clock.nowMs);
    differences.push(...differ(`workspace ${id} ${window}`, await spent(false), creditNanoUsd));
    differences.push(
      ...differ(`workspace ${id} ${window} with BYOK`, await spent(true), creditNanoUsd + byokNanoUsd),
    );
  }
  return differences;
}

async function compareAccount({ stores }: World, expected: Expected, account: Account): Promise<string[]> {
  const found = await stores.credits.balanceOf(account.id);
  const { creditNanoUsd } = expected.sums.within(account.id, null, 0);
  return [
    ...differ(`account ${account.id} total_credits`, found?.balance.topUpNanoUsd, account.creditsNanoUsd),
    ...differ(`account ${account.id} total_usage`, found?.balance.total.creditNanoUsd, creditNanoUsd),
  ];
}

function differ(name: string, found: unknown, expected: unknown): string[] {
  return found === expected ? [] : [`${name} is ${String(found)} instead of ${String(expected)}`];
}

/** As a JSON number. */
function usd(nanoUsd: bigint): number {
  return Number(`${nanoUsd}e-9`);
}
