import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { recordOf, rowsOf } from '../support/rest.js';
import { CHROMIUM, open, TEST_MS, useBrowser, WAIT_MS } from './support/browser.js';
import { type MoneyPage, type MoneyPageOptions, openWorkspace, startMoneyPage } from './support/money.js';

/** Opens a form for a limit that is not set yet, and returns what takes its amount. */
interface Form {
  readonly name: string;
  readonly label: string;
  readonly amount: string;
  readonly open: (page: Page) => Promise<void>;
  readonly save: (page: Page) => Promise<void>;
  /** What was stored. */
  readonly stored: (money: MoneyPage) => Promise<unknown>;
}

const dialogSave = async (page: Page, button: string) => {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
};

const FORMS: readonly Form[] = [
  {
    name: 'a new API key',
    label: 'BYOK usage counts toward the limit',
    amount: 'Spending limit (USD)',
    async open(page) {
      await open(page, 'API keys');
      await page.getByRole('button', { name: 'Create API key' }).click();
      await page.getByLabel('Name').fill('Limited');
    },
    async save(page) {
      await dialogSave(page, 'Create');
      await page.getByRole('button', { name: 'I have copied it' }).click();
    },
    async stored({ gateway }) {
      const keys = rowsOf(await gateway.manage('GET', '/keys'));
      return keys.find(({ name }) => name === 'Limited')?.include_byok_in_limit;
    },
  },
  {
    name: 'an API key that had no limit',
    label: 'BYOK usage counts toward the limit',
    amount: 'Spending limit (USD)',
    async open(page) {
      await open(page, 'API keys');
      await page.getByRole('button', { name: /^Edit / }).click();
    },
    async save(page) {
      await dialogSave(page, 'Save');
      await page.getByText('API key saved').waitFor();
    },
    async stored({ gateway }) {
      const key = recordOf(await gateway.manage('GET', `/keys/${gateway.apiKeyHash}`));
      return key.include_byok_in_limit;
    },
  },
  {
    name: 'a guardrail',
    label: 'BYOK spend counts toward the budget',
    amount: 'Budget (USD)',
    async open(page) {
      await open(page, 'Guardrails');
      await page.getByRole('table', { name: 'Guardrails' }).getByRole('link').click();
      await page.getByRole('heading', { name: 'Rules' }).waitFor();
    },
    async save(page) {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Guardrail saved').waitFor();
    },
    async stored({ gateway }) {
      return rowsOf(await gateway.manage('GET', '/guardrails'))[0]?.include_byok_in_budgets;
    },
  },
  {
    name: 'a budget of a workspace',
    label: 'BYOK spend counts',
    amount: 'Budget (USD)',
    async open(page) {
      await openWorkspace(page);
      await page.getByRole('button', { name: 'Set the monthly budget' }).click();
    },
    async save(page) {
      await dialogSave(page, 'Save');
      await page.getByText('Monthly budget set').waitFor();
    },
    async stored({ gateway }) {
      const path = `/workspaces/${gateway.workspaceId}/budgets`;
      return JSON.parse((await gateway.manage('GET', path)).text).include_byok_in_budgets;
    },
  },
];

const WARNING = /Without BYOK spend this counts \$0\.00 of the \$0\.02 that the [a-zA-Z ]+ spent/;

describe.skipIf(CHROMIUM === undefined)('limits in the dashboard', { timeout: TEST_MS }, () => {
  const browser = useBrowser();

  const start = (options: MoneyPageOptions) => startMoneyPage(browser(), options);

  describe.each(FORMS)('$name', (form) => {
    it('asks whether own keys count, with yes where all of the last week went over them', async () => {
      const money = await start({ byok: 2 });
      const { page } = money;
      await form.open(page);
      const answer = page.getByLabel(form.label);
      await page.getByText('spent $0.02 in the last 7 days, $0.02 of it over own keys').waitFor();
      expect(await answer.isChecked(), 'no limit yet').toBe(false);
      await page.getByLabel(form.amount).fill('5');
      expect(await answer.isChecked()).toBe(true);
      await form.save(page);
      expect(await form.stored(money)).toBe(true);
      expect(money.complaints).toEqual([]);
    });

    it('warns where the answer is no, and stores it all the same', async () => {
      const money = await start({ byok: 2 });
      const { page } = money;
      await form.open(page);
      await page.getByText('of it over own keys').waitFor();
      await page.getByLabel(form.amount).fill('5');
      await page.getByLabel(form.label).uncheck();
      await page.getByText(WARNING).waitFor();
      await form.save(page);
      expect(await form.stored(money)).toBe(false);
    });

    it('has no where the last week went over shared capacity, though own keys are stored', async () => {
      const money = await start({ shared: 2, hasByokKey: true });
      const { page } = money;
      await form.open(page);
      await page.getByText('$0.00 of it over own keys').waitFor();
      await page.getByLabel(form.amount).fill('5');
      expect(await page.getByLabel(form.label).isChecked()).toBe(false);
      expect(await page.getByText(WARNING).count()).toBe(0);
      await form.save(page);
      expect(await form.stored(money)).toBe(false);
    });
  });

  it('have yes where nothing was spent yet and own keys are stored', async () => {
    const { page } = await start({ hasByokKey: true });
    await FORMS[0]?.open(page);
    await page.getByText('Nothing was spent in the last 7 days; own keys are stored.').waitFor();
    await page.getByLabel('Spending limit (USD)').fill('5');
    expect(await page.getByLabel('BYOK usage counts toward the limit').isChecked()).toBe(true);
  });

  it('that are stored keep their answer when their amount is changed', async () => {
    const { gateway, page } = await start({ byok: 2 });
    await gateway.manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 5 });
    await FORMS[1]?.open(page);
    await page.getByText(WARNING).waitFor();
    await page.getByLabel('Spending limit (USD)').fill('6');
    await FORMS[1]?.save(page);
    const key = recordOf(await gateway.manage('GET', `/keys/${gateway.apiKeyHash}`));
    expect(key).toMatchObject({ limit: 6, include_byok_in_limit: false });
  });

  it('that are marked fit the width of a telephone', async () => {
    const { gateway, page } = await start({ byok: 2, context: { viewport: { width: 375, height: 700 } } });
    const { manage, apiKeyHash, workspaceId } = gateway;
    const [guardrail] = rowsOf(await manage('GET', '/guardrails'));
    await manage('PATCH', `/keys/${apiKeyHash}`, { limit: 5 });
    await manage('PATCH', `/guardrails/${guardrail?.id}`, { limit_usd: 5, allowed_models: ['no/such'] });
    await manage('PUT', `/workspaces/${workspaceId}/budgets/daily`, { limit_usd: 5 });
    const places = [
      ['#/keys', 'BYOK spend is not counted'],
      ['#/guardrails', 'BYOK spend is not counted'],
      [`#/guardrails/${guardrail?.id}`, WARNING],
      [`#/workspaces/${workspaceId}`, WARNING],
    ] as const;
    for (const [place, mark] of places) {
      await page.goto(`${gateway.url}/${place}`);
      await page.getByText(mark).waitFor();
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect([place, await page.evaluate(overflow)]).toEqual([place, 0]);
    }
  });

  it('that count nothing of what flows are marked in lists and details, until they count own keys', async () => {
    const { gateway, page } = await start({ byok: 2 });
    const { manage, apiKeyHash, workspaceId } = gateway;
    const [guardrail] = rowsOf(await manage('GET', '/guardrails'));
    const limits = [
      ['PATCH', `/keys/${apiKeyHash}`, { limit: 5 }, 'include_byok_in_limit'],
      ['PATCH', `/guardrails/${guardrail?.id}`, { limit_usd: 5 }, 'include_byok_in_budgets'],
      ['PUT', `/workspaces/${workspaceId}/budgets/daily`, { limit_usd: 5 }, 'include_byok_in_budgets'],
    ] as const;
    const expectMarks = async (expected: number) => {
      const badge = page.getByText('BYOK spend is not counted');
      const warning = page.getByText(WARNING);
      const seen = (what: Locator) => expect.poll(() => what.count(), { timeout: WAIT_MS }).toBe(expected);
      await page.reload();
      await open(page, 'API keys');
      await page.getByText('of $5.00 left').waitFor();
      await seen(badge);
      await open(page, 'Guardrails');
      await page.getByText('$5.00').waitFor();
      await seen(badge);
      await page.getByRole('table', { name: 'Guardrails' }).getByRole('link').click();
      await page.getByText('of it over own keys').waitFor();
      await seen(warning);
      await openWorkspace(page);
      await page.getByText('of $5.00 spent').waitFor();
      await seen(warning);
    };
    for (const [method, path, limit] of limits) await manage(method, path, limit);
    await expectMarks(1);
    for (const [method, path, limit, flag] of limits) await manage(method, path, { ...limit, [flag]: true });
    await expectMarks(0);
  });
});
