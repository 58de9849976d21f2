import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { type MoneyGateway, mustSucceed, startMoneyGateway } from '../../support/money.js';
import { recordOf } from '../../support/rest.js';
import { DASHBOARD, open, signIn, type Visit, visit } from './browser.js';

export interface MoneyPage {
  readonly gateway: MoneyGateway;
  readonly page: Page;
  readonly complaints: Visit['complaints'];
}

export interface MoneyPageOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly context?: BrowserContextOptions;
  /** Chats of 0.01 USD over shared capacity, then over an own key. */
  readonly shared?: number;
  readonly byok?: number;
  /** Whether an own key is stored, even if no chat is to use it. */
  readonly hasByokKey?: boolean;
}

/** The dashboard of a gateway whose account has had chats of 0.01 USD, signed in; ends with the test. */
export async function startMoneyPage(browser: Browser, options: MoneyPageOptions = {}): Promise<MoneyPage> {
  const { env = {}, context, shared = 0, byok = 0, hasByokKey = byok > 0 } = options;
  const gateway = await startMoneyGateway({ env, dashboard: DASHBOARD });
  for (let count = 0; count < shared; count++) await mustSucceed(gateway.chat('test/paid'));
  if (hasByokKey) {
    recordOf(await gateway.manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789' }));
  }
  for (let count = 0; count < byok; count++) await mustSucceed(gateway.chat('test/paid'));
  const { page, complaints, close } = await visit(browser, gateway.url, context);
  onTestFinished(close);
  await signIn(page, gateway.managementKey);
  return { gateway, page, complaints };
}

/** Goes to the page of the account's one workspace. */
export async function openWorkspace(page: Page): Promise<void> {
  await open(page, 'Workspaces');
  await page.getByRole('table', { name: 'Workspaces' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Budgets' }).waitFor();
}
