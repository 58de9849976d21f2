import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { bodyOf, caller, rowsOf } from '../support/rest.js';
import {
  CHROMIUM,
  DASHBOARD,
  eventually,
  open,
  signIn,
  TEST_MS,
  useBrowser,
  type Visit,
  visit,
} from './support/browser.js';

describe.skipIf(CHROMIUM === undefined)('the dashboard in a browser', { timeout: TEST_MS }, () => {
  const browser = useBrowser();
  let gateway: TestGateway & { stop(): Promise<void> };
  let seen: Visit;
  let page: Page;

  beforeEach(async () => {
    gateway = await launchGateway({ dashboard: DASHBOARD });
    seen = await visit(browser(), gateway.url);
    page = seen.page;
  });

  afterEach(async () => {
    const { complaints, strayRequests } = seen;
    await seen.close();
    await gateway.stop();
    expect({ complaints, strayRequests }).toEqual({ complaints: [], strayRequests: [] });
  });

  const rest = (method: string, path: string, body?: object) =>
    caller(gateway, gateway.managementKey)(method, path, body);

  it('refuses what is no management key with the server’s own message, and signs in with one', async () => {
    await page.getByLabel('Management key').fill('bw-mgmt-wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Invalid API key').waitFor();
    await page.getByLabel('Management key').fill(gateway.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Only management keys can perform this operation').waitFor();
    await signIn(page, gateway.managementKey);
    await page.getByText('$10.00').first().waitFor();
  });

  it('keeps the key in the tab only, never in a URL, and forgets it on sign-out', async () => {
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await signIn(page, gateway.managementKey);
    expect(await stored(page)).toEqual({ session: [gateway.managementKey], local: [], cookies: [] });
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Management key').waitFor();
    expect(await stored(page)).toEqual({ session: [], local: [], cookies: [] });
    expect([page.url(), ...urls].filter((url) => url.includes('bw-mgmt'))).toEqual([]);
  });

  it('ends the session when the key is revoked, and says why', async () => {
    await signIn(page, gateway.managementKey);
    const hash = createHash('sha256').update(gateway.managementKey).digest('hex');
    await gateway.gateway.stores.managementKeys.revokeManagementKey(gateway.accountId, hash, Date.now());
    await eventually(async () => (await rest('GET', '/keys')).status).toBe(401);
    // On a busy machine a request of the first page has ended the session already, and there is no link any more.
    const link = page.getByRole('link', { name: 'API keys' });
    await Promise.race([link.click().catch(() => undefined), page.getByText('Invalid API key').waitFor()]);
    await page.getByText('Invalid API key').waitFor();
  });

  it('creates an API key, shows its secret once, and edits its limit', async () => {
    await signIn(page, gateway.managementKey);
    await open(page, 'API keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('From the page');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = await page.getByLabel('API key', { exact: true }).inputValue();
    expect(secret).toMatch(/^bw-v1-[0-9a-f]{64}$/);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByLabel('API key', { exact: true }).waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Edit From the page' }).click();
    await page.getByLabel('Spending limit (USD)').fill('12.000000001');
    await page.getByLabel('Resets').selectOption({ label: 'Every Monday' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('$12.000000001 of $12.000000001 left').waitFor();
    const keys = rowsOf(await rest('GET', '/keys'));
    const changed = { name: 'From the page', limit: 12.000000001, limit_reset: 'weekly', disabled: false };
    expect(keys).toContainEqual(expect.objectContaining(changed));

    await page.getByRole('button', { name: 'Delete From the page' }).click();
    await page.getByRole('button', { name: 'Delete API key' }).click();
    await page.getByRole('status').getByText('API key deleted').waitFor();
    expect(bodyOf(await rest('GET', '/keys')).total_count).toBe(1);
  });

  it('shows every violation beside its field, and the whole message', async () => {
    await signIn(page, gateway.managementKey);
    await open(page, 'API keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Spending limit (USD)').fill('2000000000');
    await page.getByLabel('Expires').fill('2020-01-01T00:00');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').getByText('name: is required').waitFor();
    expect(await page.locator('[data-field="name"]').textContent()).toContain('is required');
    expect(await page.locator('[data-field="limit"]').textContent()).toContain('1000000000');
    expect(await page.getByLabel('Spending limit (USD)').getAttribute('aria-invalid')).toBe('true');
    const focused = await page.locator(':focus').getAttribute('id');
    expect(focused).toBe(await page.getByRole('dialog').getByLabel('Name').getAttribute('id'));
  });

  it('stores a provider key whose credential is nowhere in the page afterwards', async () => {
    const credential = 'canary-0123456789-abcdefghij';
    await signIn(page, gateway.managementKey);
    await open(page, 'Provider keys');
    await page.getByRole('button', { name: 'Add provider key' }).click();
    await page.getByLabel('Provider', { exact: true }).selectOption('a');
    await page.getByLabel('Name').fill('Mine');
    await page.getByLabel('Credential').fill(credential);
    await page.getByRole('group', { name: 'Models' }).getByLabel('Only these').check();
    await page.getByLabel('Add to Models').fill('test/m1');
    await page.getByLabel('Add to Models').press('Enter');
    await page.getByRole('group', { name: 'API keys' }).getByLabel('Only these').check();
    await page.getByLabel('Add to API keys').selectOption(gateway.apiKeyHash);
    await page.getByRole('button', { name: 'Store key' }).click();
    await page.getByText('Provider key stored').waitFor();
    await page.getByText('can...hij').waitFor();
    expect(await page.content()).not.toContain(credential);
    expect(rowsOf(await rest('GET', '/byok'))).toEqual([
      expect.objectContaining({
        name: 'Mine',
        provider: 'a',
        is_fallback: false,
        allowed_models: ['test/m1'],
        allowed_api_key_hashes: [gateway.apiKeyHash],
        allowed_user_ids: null,
      }),
    ]);
  });

  describe('with three provider keys', () => {
    beforeEach(async () => {
      for (const name of ['First', 'Second', 'Third']) {
        await rest('POST', '/byok', { provider: 'a', key: `key-of-${name}-0123456789`, name });
      }
      await signIn(page, gateway.managementKey);
      await open(page, 'Provider keys');
    });

    it('moves them with the keyboard alone', async () => {
      await page.getByRole('button', { name: 'Drag First' }).focus();
      await page.keyboard.press('Space');
      await page.getByText('First: Prioritized, position 1.').waitFor({ state: 'attached' });
      await nextFrames(page);
      await page.keyboard.press('ArrowDown');
      await page.getByText('First: Prioritized, position 2.').waitFor({ state: 'attached' });
      await page.keyboard.press('Space');
      await page.getByText('Moved to Prioritized, position 2').waitFor();
      expect(await sections()).toEqual({ prioritized: ['Second', 'First', 'Third'], fallback: [] });
    });

    it('moves them past shared capacity into the Fallback section by dragging, and it lasts', async () => {
      await drag(page, 'Drag First', 'No fallback keys');
      await page.getByText('Moved to Fallback, position 1').waitFor();
      expect(await sections()).toEqual({ prioritized: ['Second', 'Third'], fallback: ['First'] });
      await page.reload();
      await page.getByText('First', { exact: true }).waitFor();
      const names = await page.locator('.byok-name').allInnerTexts();
      expect(names).toEqual(['Second', 'Third', 'First']);
    });

    it('moves them with buttons, and puts back what the server refuses', async () => {
      await page.getByRole('button', { name: 'Edit Third' }).click();
      await page.getByLabel('Always use for this provider').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Always use', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Move Third down' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.locator('.byok-name').allInnerTexts()).toEqual(['First', 'Second', 'Third']);
      await page.getByRole('button', { name: 'Move Third up' }).click();
      await page.getByText('Moved to Prioritized, position 2').waitFor();
      expect(await sections()).toEqual({ prioritized: ['First', 'Third', 'Second'], fallback: [] });
    });
  });

  it('tests a stored credential, and says what is wrong with it', async () => {
    await rest('POST', '/byok', { provider: 'a', key: 'key-0123456789-abcdef', name: 'Good' });
    await rest('POST', '/byok', { provider: 'a', key: 'demo-status-401-0123456789', name: 'Bad' });
    await signIn(page, gateway.managementKey);
    await open(page, 'Provider keys');
    await page.getByRole('button', { name: 'Test Good' }).click();
    await page.getByText('Works', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Test Bad' }).click();
    await page.getByText('invalid_credential').waitFor();
  });

  it('explains a route: attempts in order and a reason for the rest', async () => {
    await rest('POST', '/byok', { provider: 'b', key: 'key-of-b-0123456789abc', is_required: true });
    await signIn(page, gateway.managementKey);
    await open(page, 'Explain a route');
    await page.getByLabel('Model', { exact: true }).fill('test/m1');
    await page.getByRole('button', { name: 'Explain' }).click();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await attempts.waitFor();
    const rows = await attempts.locator('tbody tr').allInnerTexts();
    expect(rows).toHaveLength(3);
    expect(rows[0]).toContain('Provider b');
    expect(rows[0]).toContain('Prioritized');
    expect(await page.getByRole('table', { name: 'Left out' }).textContent()).toContain('always_use');
  });

  it('explains a route only once it knows the keys, since one of them is the caller', async () => {
    await page.route('**/byway.v1.KeyService/ListKeys**', async (route) => {
      await sleep(1_500);
      await route.continue();
    });
    await signIn(page, gateway.managementKey);
    await open(page, 'Explain a route');
    await page.getByLabel('Model', { exact: true }).fill('test/m1');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('table', { name: 'Attempts' }).waitFor();
  });

  async function sections() {
    const keys = rowsOf(await rest('GET', '/byok'));
    const inSection = (isFallback: boolean) =>
      keys
        .filter((key) => key.is_fallback === isFallback)
        .sort((a, b) => Number(a.sort_order) - Number(b.sort_order))
        .map((key) => key.name);
    return { prioritized: inSection(false), fallback: inSection(true) };
  }
});

/** Everything that the page stores, read in the page itself. */
function stored(page: Page): Promise<unknown> {
  return page.evaluate(
    '({ session: Object.values(sessionStorage), local: Object.values(localStorage), cookies: document.cookie ? [document.cookie] : [] })',
  );
}

/** The sensor of the keyboard listens, and knows where every item is, once the page has been drawn. */
async function nextFrames(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(null))))',
  );
}

/** Drags by the handle with the pointer, in steps, as a hand does. */
async function drag(page: Page, handle: string, onto: string): Promise<void> {
  const from = await page.getByRole('button', { name: handle }).boundingBox();
  const to = await page.getByText(onto).boundingBox();
  if (from === null || to === null) throw new Error('nothing to drag');
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + 40, to.y + to.height / 2, { steps: 12 });
  await page.getByText('First: Fallback, position 1.').waitFor({ state: 'attached' });
  await page.mouse.up();
}
