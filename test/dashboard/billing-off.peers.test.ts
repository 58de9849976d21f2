import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, loaded, open, TEST_MS, useBrowser } from './support/browser.js';
import { startMoneyPage } from './support/money.js';

/** Words that mean nothing where nobody is billed. */
const BILLING = /credits?\b|\bfees?\b|charged|paid in/i;

/** Of the right edge of the chart. */
const LAST_BAR_PX = 20;

/** What the page says once the text is there. */
async function textAfter(page: Page, text: string): Promise<string> {
  await page.getByText(text).first().waitFor();
  await loaded(page);
  return textOf(page);
}

/** What is seen of the page, with blanks between its parts. */
async function textOf(page: Page, part = 'main'): Promise<string> {
  return (await page.locator(part).allInnerTexts()).join('\n');
}

describe.skipIf(CHROMIUM === undefined)('the dashboard', { timeout: TEST_MS }, () => {
  const browser = useBrowser();

  it('with BYWAY_BILLING=off speaks of shared capacity and of no credits, charges or fees, on every page', async () => {
    const { page, complaints } = await startMoneyPage(browser(), {
      env: { BYWAY_BILLING: 'off' },
      shared: 1,
      byok: 1,
    });
    await page.getByText('Used on shared capacity, at list price').first().waitFor();
    await page.getByText('$0.01').first().waitFor();
    await page.getByText('$0.01 on shared capacity, $0.01 over own keys').waitFor();
    await page.locator('.recharts-surface').waitFor();
    expect(await textOf(page, '.legend')).toMatch(/^Shared capacity\s+BYOK at list price$/);
    const chart = await page.locator('.chart').boundingBox();
    if (chart === null) throw new Error('no chart');
    // The last day.
    await page.mouse.move(chart.x + chart.width - LAST_BAR_PX, chart.y + chart.height / 2);
    await page.getByText('$0.01 shared capacity', { exact: true }).waitFor();
    await page.getByText('As a table').click();
    expect(await textOf(page)).not.toMatch(BILLING);

    await open(page, 'Generations');
    const table = page.getByRole('table', { name: 'Generations' });
    await table.getByRole('columnheader', { name: 'Shared capacity' }).waitFor();
    expect(await textOf(page)).not.toMatch(BILLING);
    for (const row of [0, 1]) {
      await open(page, 'Generations');
      await table.getByRole('link').nth(row).click();
      const facts = await textAfter(page, 'BYOK at list price');
      expect(facts).toContain('Shared capacity');
      await page.getByText('Shared capacity', { exact: true }).first().waitFor();
      expect(await textOf(page)).not.toMatch(BILLING);
    }

    const others = [
      ...['Models', 'API keys', 'Provider keys', 'Explain a route', 'Guardrails', 'Workspaces'],
      ...['Client applications', 'Preferences & privacy'],
    ];
    for (const title of others) {
      await open(page, title);
      await loaded(page);
      expect([title, (await textOf(page)).match(BILLING)]).toEqual([title, null]);
    }
    expect(complaints).toEqual([]);
  });

  it('that bills shows credits, charges and fees', async () => {
    const { page } = await startMoneyPage(browser(), { shared: 1 });
    await page.getByText('Credits left').first().waitFor();
    await page.getByText('$9.99').first().waitFor();
    await page.getByText('$0.01 charged, $0.00 over own keys').waitFor();
    await page.getByText('Shared capacity and fees').waitFor();
    await open(page, 'Generations');
    await page.getByRole('columnheader', { name: 'Charged' }).waitFor();
    await page.getByRole('table', { name: 'Generations' }).getByRole('link').click();
    await page.getByText('BYOK fee in it').waitFor();
  });
});
