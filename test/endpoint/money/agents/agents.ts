/** Calls of coding agents, many at once, under every kind of limit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { demoModel } from '../../../support/catalog.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from '../../../support/fakes/fake-openai.js';
import type { TestGatewayOptions } from '../../../support/gateway.js';
import { guardrail, setLimit, workspaceBudget } from '../../../support/limits.js';
import {
  forAccount,
  keyRecord,
  type MoneyGateway,
  moneyCatalog,
  startMoneyGateway,
} from '../../../support/money.js';
import { share } from '../../../support/providers.js';
import { type Answer, bodyOf, type Call, type Row } from '../../../support/rest.js';

/** USD a token, as Claude Opus 4.5: https://platform.claude.com/docs/en/about-claude/pricing (2026-11-26). */
const PROMPT_USD = 0.000_005;
const COMPLETION_USD = 0.000_025;

export const LIMIT_USD = 25;

/** What the provider counts of each. */
export const USAGE = { prompt_tokens: 20_000, completion_tokens: 200 };
export const COST_USD = USAGE.prompt_tokens * PROMPT_USD + USAGE.completion_tokens * COMPLETION_USD;

export const AT_ONCE = 200;

/** Long enough that the speed of the machine does not count: 16 of the calls are in flight at a time. */
export const PATIENT = { BYWAY_RESERVATION_WAIT_MS: '20000' };

/** Answers that take longer than anybody waits for them, and cost more than there is in all. */
export const SLOW = {
  ...{ limitUsd: 6, clients: 30, waitMs: 300, delayMs: 1_200 },
  usage: { prompt_tokens: 88_000, completion_tokens: 400 },
  costUsd: 88_000 * PROMPT_USD + 400 * COMPLETION_USD,
};

const PROMPT_CHARACTERS = 110_000;
const PROMPT = 'const value = read(path) ?? fallback;\n'.repeat(PROMPT_CHARACTERS / 38);
const TOOLS = Array.from({ length: 40 }, (_, at) => ({
  type: 'function',
  function: {
    name: `tool_${at}`,
    description: 'Reads, writes and searches files. '.repeat(25),
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
}));

/** Some 150 kB with tools; each conversation begins in its own way. */
function agentCall(session: number | string): object {
  return {
    model: 'test/opus',
    max_tokens: 32_000,
    tools: TOOLS,
    messages: [
      { role: 'system', content: `Session ${session}. ${PROMPT}` },
      { role: 'user', content: 'Go on.' },
    ],
  };
}

export interface Kind {
  readonly name: string;
  /** Credits of the account, in nano-USD. */
  readonly credits: bigint;
  /** What says that it is spent. */
  readonly spent: { readonly status: number; readonly reason: string };
  set(account: MoneyGateway, usd: number): Promise<unknown>;
}

const RICH = 10n ** 13n;

/** Everything that is waited for. */
export const kinds = (limitUsd: number): readonly Kind[] => [
  {
    ...{ name: 'the limit of a key', credits: RICH },
    spent: { status: 403, reason: 'key_limit_exceeded' },
    set: (account, limit) => setLimit(account, { limit }),
  },
  {
    ...{ name: 'the budget of a guardrail', credits: RICH },
    spent: { status: 403, reason: 'guardrail_budget_exceeded' },
    set: (account, limit_usd) => guardrail(account, { limit_usd }, 'key'),
  },
  {
    ...{ name: 'the budget of a workspace', credits: RICH },
    spent: { status: 403, reason: 'workspace_budget_exceeded' },
    set: (account, limit_usd) => workspaceBudget(account, 'monthly', { limit_usd }),
  },
  {
    ...{ name: 'the credits of an account', credits: BigInt(Math.round(limitUsd * 1e9)) },
    spent: { status: 402, reason: 'insufficient_credits' },
    set: async () => undefined,
  },
];

export interface AgentsGateway extends MoneyGateway {
  readonly host: FakeOpenAi;
  readonly catalog: ReturnType<typeof moneyCatalog>;
  /** How the provider answers from now on. */
  answers(plan: { readonly delayMs: number; readonly usage?: object }): void;
}

/** A gateway over a host that counts as it is told to. */
export async function startAgents(options: Omit<TestGatewayOptions, 'catalog'> = {}): Promise<AgentsGateway> {
  const host = await startFakeOpenAi();
  const providers = [{ slug: 'host', name: 'Host', adapter: 'openai', base_url: host.baseUrl }];
  const models = [
    demoModel(
      'test/opus',
      [
        {
          provider: 'host',
          upstream_model_id: 'opus',
          pricing: { prompt: String(PROMPT_USD), completion: String(COMPLETION_USD) },
          max_completion_tokens: 64_000,
        },
      ],
      { context_length: 1_000_000 },
    ),
  ];
  const gateway = await startMoneyGateway({ ...options, providers, models });
  await share(gateway, 'host', FAKE_API_KEY);
  return {
    ...gateway,
    host,
    catalog: moneyCatalog(models, providers),
    answers: ({ delayMs, usage = USAGE }) => host.plan('opus', { delayMs, usage }),
  };
}

/** What is said of a refusal. */
function refusal(answer: Answer): Row {
  const { metadata } = bodyOf(answer).error as { metadata: Row };
  return { status: answer.status, ...metadata };
}

export const call = (use: Call, session: number | string): Promise<Answer> =>
  use('POST', '/chat/completions', agentCall(session));

interface Patience {
  readonly kind?: Kind;
  onRefused?(answer: Answer): void;
}

/** Comes again when it is told to, until it is served or there is nothing left. */
export async function patiently(
  ask: () => Promise<Answer>,
  { kind, onRefused = expectReserved }: Patience = {},
): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 429) {
      if (answer.status !== 200 && kind !== undefined) expectSpent(answer, kind);
      return answer;
    }
    onRefused(answer);
    await sleep(Number(answer.headers['retry-after']) * 1_000);
  }
}

export function together(count: number, ask: (at: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => ask(at)));
}

export function statusesOf(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** A refusal for what is not spent: 429 `limit_reserved`, and when to come again. */
export function expectReserved(answer: Answer): void {
  const refused = refusal(answer);
  expect(refused).toMatchObject({ status: 429, reason: 'limit_reserved' });
  expect(refused.spent_usd).toBeLessThan(Number(refused.limit_usd));
  expect(Number(refused.spent_usd) + Number(refused.reserved_usd)).toBeGreaterThanOrEqual(
    Number(refused.limit_usd),
  );
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(5);
}

/** A refusal for what is spent says so, and is right. Credits are told to management keys alone. */
function expectSpent(answer: Answer, { spent, credits }: Kind): void {
  const refused = refusal(answer);
  expect(refused).toMatchObject(spent);
  if (credits === RICH) expect(refused.spent_usd).toBeGreaterThanOrEqual(Number(refused.limit_usd));
}

export async function spentUsd(account: MoneyGateway): Promise<number> {
  return Number((await keyRecord(account)).usage);
}

/** An account that such a limit holds. */
export async function accountUnder(
  gateway: AgentsGateway,
  kind: Kind,
  limitUsd: number,
): Promise<MoneyGateway> {
  const account = forAccount(gateway, await gateway.addAccount({ credits: kind.credits }));
  await kind.set(account, limitUsd);
  return account;
}

/** Sends slow calls by all of these ways at once, again and again until all is spent; some wait in vain before that. */
export async function expectAllPaidFor(
  account: MoneyGateway,
  kind: Kind,
  uses: readonly Call[],
): Promise<void> {
  let refused = 0;
  const answers = await together(SLOW.clients, (at) =>
    patiently(() => call(uses[at % uses.length] ?? account.use, at), {
      kind,
      onRefused(answer) {
        refused += 1;
        expectReserved(answer);
      },
    }),
  );
  expect(refused).toBeGreaterThan(0);
  const spent = await spentUsd(account);
  expect(spent).toBeGreaterThanOrEqual(SLOW.limitUsd);
  expect(spent).toBeLessThan(SLOW.limitUsd + SLOW.costUsd);
  expect(statusesOf(answers)[200]).toBe(Math.ceil(SLOW.limitUsd / SLOW.costUsd));
}
