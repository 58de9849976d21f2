import { KnownPrompts } from '../../../src/routing/estimate/known-prompts.js';
/** The system under test: a database, its stores, and chats that are admitted, priced, settled and recorded. */

import { createAccount } from '../../../src/accounts/account/create-account.js';
import { createWorkspace } from '../../../src/accounts/workspaces/workspaces.js';
import { systemIds } from '../../../src/base/ids.js';
import { Problem } from '../../../src/base/problem.js';
import { DEFAULT_TIMEOUTS } from '../../../src/base/timeouts.js';
import { createKey } from '../../../src/identity/create-key.js';
import type { ManagementKeyPrincipal } from '../../../src/identity/principal.js';
import { Adaptations } from '../../../src/inference/attempts/adaptation.js';
import { createInference } from '../../../src/inference/inference.js';
import type { UpstreamAdapter } from '../../../src/inference/ports/adapter.js';
import { createAdmission } from '../../../src/inference/run/admission.js';
import { topUp } from '../../../src/ledger/credits.js';
import type { SpendLimit } from '../../../src/ledger/limits.js';
import type { BillingPlan } from '../../../src/ledger/payer.js';
import { ReservationQueues } from '../../../src/ledger/reservation-queues.js';
import { createCircuit } from '../../../src/routing/health/circuit.js';
import { FastestRates } from '../../../src/routing/health/fastest-rates.js';
import type { Attempt } from '../../../src/routing/types.js';
import { openDatabase } from '../../../src/store/open.js';
import { createStores } from '../../../src/store/stores.js';
import { chatOver } from '../../support/chat.js';
import { REFUSALS } from '../../support/refusals.js';
import type { SeededRandom } from './seeded-random.js';

export interface Account {
  readonly id: string;
  readonly plan: BillingPlan;
  readonly manager: ManagementKeyPrincipal;
  readonly creditsNanoUsd: bigint;
  /** Approximate cost of its requests. */
  readonly scaleUsd: number;
}

/** An API key with its workspace and member. */
export interface Payer {
  readonly account: Account;
  readonly workspaceId: string;
  readonly apiKeyHash: string;
  readonly userId: string;
}

/** The attempt, limits and provider of a request; looked up by the identifier of the request. */
export interface Script {
  readonly attempt: Attempt;
  readonly limits: readonly SpendLimit[];
  readonly adapter: UpstreamAdapter;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** On an empty database. */
export async function openWorld(databaseUrl: string, startMs: number) {
  const database = await openDatabase(databaseUrl);
  const clock = { nowMs: startMs, now: () => clock.nowMs };
  const common = { clock, ids: systemIds };
  const stores = createStores(database, { ...common });
  const scripts = new Map<string, Script>();
  const settled: string[] = [];
  const scriptOf = (requestId: string): Script => {
    const script = scripts.get(requestId);
    if (script === undefined) throw new Error(`unknown request ${requestId}`);
    return script;
  };
  const inference = createInference({
    adapters: new Map([['demo', adapterOf((body) => scriptOf(String(body.user)).adapter)]]),
    openCredential: async () => null,
    circuit: createCircuit(),
    adaptations: new Adaptations(clock, REFUSALS),
    refusals: REFUSALS,
    ...common,
    answers: null,
    admit: createAdmission({
      async route({ requestId }, funds) {
        const { attempt } = scriptOf(requestId);
        const isPayable = funds.hasCredits || (attempt.key !== null && funds.hasByokAllowance);
        if (!isPayable) throw new Problem('insufficient_credits', 'No credits');
        return {
          attempts: [attempt],
          unusableKeys: [],
          requestedAs: new Map(),
          excludedCounts: {},
          isRetainable: true,
        };
      },
      limits: {
        ofRequest: async ({ requestId }) => scriptOf(requestId).limits,
        open: () => Promise.reject(new Error('no request names a run')),
      },
      ledger: stores.ledger,
      balances: stores.balances,
      answers: null,
      queues: new ReservationQueues(0),
      knownPrompts: new KnownPrompts(),
      maxRequestMs: 100 * 86_400_000,
    }),
    generations: {
      settle(generation, charge) {
        settled.push(generation.requestId);
        return stores.generations.settle(generation, charge);
      },
    },
    journal: { follow: () => () => undefined },
    timeouts: DEFAULT_TIMEOUTS,
    onDisconnect: { shared: 'cancel', byok: 'cancel' },
    departures: { enter: () => undefined },
    rates: new FastestRates(clock),
  });
  return {
    database,
    stores,
    clock,
    common,
    chat: chatOver(inference),
    scripts,
    /** Identifiers of requests in the order in which they were settled. */
    settled,
    close: () => database.close(),
  };
}

function adapterOf(find: (body: { readonly user?: string }) => UpstreamAdapter): UpstreamAdapter {
  return {
    complete: (call) => find(call.body).complete(call),
    stream: (call) => find(call.body).stream(call),
  };
}

const USD = 1_000_000_000n;

/** Accounts of both plans, rich and poor, each with several workspaces, members and keys. */
export async function populate(world: World, random: SeededRandom): Promise<Payer[]> {
  const payers: Payer[] = [];
  for (const [plan, scaleUsd, credits] of [
    ['pay_as_you_go', 12_000, 10n ** 9n],
    ['enterprise', 80_000, 10n ** 9n],
    ['pay_as_you_go', 0, 1_000_000n],
    ['enterprise', 100, BigInt(random.integer(1, 3_000))],
  ] as const) {
    payers.push(...(await populateAccount(world, random, { plan, scaleUsd, creditsNanoUsd: credits * USD })));
  }
  return payers;
}

async function populateAccount(
  { stores, common }: World,
  random: SeededRandom,
  settings: Pick<Account, 'plan' | 'scaleUsd' | 'creditsNanoUsd'>,
): Promise<Payer[]> {
  const created = await createAccount(
    { store: stores.accounts, ...common },
    { name: 'A', plan: settings.plan },
  );
  const { id, ownerUserId } = created.account;
  await topUp({ store: stores.credits, ...common }, id, settings.creditsNanoUsd);
  const manager: ManagementKeyPrincipal = {
    kind: 'management_key',
    accountId: id,
    hash: '',
    userId: ownerUserId,
  };
  const account: Account = { id, manager, ...settings };
  const second = { name: 'Second', slug: 'second', description: null };
  const workspaces = [
    created.workspace,
    await createWorkspace({ store: stores.workspaces, ...common }, id, second),
  ];
  const payers: Payer[] = [];
  for (let index = 0; index < 6; index++) {
    const workspaceId = workspaces[index % 2]?.id ?? '';
    const userId = random.one([ownerUserId, 'user_b', 'user/c']);
    const { record } = await createKey({ store: stores.keys, usage: stores.usage, ...common }, manager, {
      name: `key ${index}`,
      limitNanoUsd: null,
      limitReset: null,
      includeByokInLimit: false,
      endUserLimitNanoUsd: null,
      endUserLimitReset: null,
      endUserRequired: false,
      cacheTtl: null,
      expiresAt: null,
      workspaceId,
      creatorUserId: userId,
    });
    payers.push({ account, workspaceId, userId, apiKeyHash: record.key.hash });
  }
  return payers;
}
