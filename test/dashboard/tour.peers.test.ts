import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvRecords } from '../support/csv.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { caller, recordOf, rowsOf } from '../support/rest.js';
import {
  CHROMIUM,
  DASHBOARD,
  eventually,
  loaded,
  open,
  signIn,
  TEST_MS,
  useBrowser,
  type Visit,
  visit,
} from './support/browser.js';

const TITLES = [
  'Overview',
  'Generations',
  'Models',
  'API keys',
  'Provider keys',
  'Explain a route',
  'Guardrails',
  'Workspaces',
  'Client applications',
  'Preferences & privacy',
];

/** Runs in the page: controls without a name for screen readers. */
const NAMELESS = `[...document.querySelectorAll('input, select, textarea, button, a, [role]')]
  .filter((element) => element.checkVisibility())
  .filter((element) => !(element.labels?.length || element.ariaLabel || element.textContent.trim() || element.role === 'status' || element.getAttribute('role')))
  .map((element) => element.outerHTML)`;

describe.skipIf(CHROMIUM === undefined)('a tour of the dashboard', { timeout: TEST_MS }, () => {
  const browser = useBrowser();
  let gateway: TestGateway & { stop(): Promise<void> };

  beforeAll(async () => {
    gateway = await launchGateway({ dashboard: DASHBOARD });
    await caller(gateway, gateway.apiKey)('POST', '/chat/completions', {
      model: 'test/m1',
      messages: [{ role: 'user', content: 'Hello' }],
    });
  }, TEST_MS);

  afterAll(async () => {
    await gateway.stop();
  });

  /** Visits, signed in, and expects no complaints. */
  async function tour(
    walk: (seen: Visit) => Promise<void>,
    options: Parameters<typeof visit>[2] = {},
  ): Promise<void> {
    const seen = await visit(browser(), gateway.url, options);
    await signIn(seen.page, gateway.managementKey);
    await walk(seen);
    const { complaints, strayRequests } = seen;
    await seen.close();
    expect({ complaints, strayRequests }).toEqual({ complaints: [], strayRequests: [] });
  }

  const rest = (method: string, path: string, body?: object) =>
    caller(gateway, gateway.managementKey)(method, path, body);

  it.each([
    ['light', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 768, height: 1024 } }],
    ['on a telephone', { colorScheme: 'light', viewport: { width: 375, height: 700 } }],
  ] as const)('every page opens, fits the width, and names all its controls: %s', async (_, options) => {
    await tour(async ({ page }) => {
      await page.locator('.recharts-surface').waitFor();
      for (const title of TITLES) {
        const menu = page.getByRole('button', { name: 'Open the menu' });
        if (await menu.isVisible()) await menu.click();
        await open(page, title);
        await loaded(page);
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        // Styles, fonts and the title follow what is rendered.
        const seen = async () => [
          await page.title(),
          await page.evaluate(overflow),
          await page.evaluate(NAMELESS),
        ];
        await eventually(seen).toEqual([`${title} · Byway`, 0, []]);
      }
    }, options);
  });

  it('shows the record of a request, attempt by attempt', async () => {
    await tour(async ({ page }) => {
      await open(page, 'Generations');
      await page.getByRole('row').getByRole('link').click();
      const attempts = page.getByRole('table', { name: 'Attempts' });
      expect(await attempts.locator('tbody tr').textContent()).toMatch(
        /Provider a[\s\S]*200[\s\S]*Shared capacity/,
      );
    });
  });

  it('stores the requests that it shows as CSV', async () => {
    await tour(async ({ page }) => {
      await open(page, 'Generations');
      const stored = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download CSV' }).click();
      const file = await stored;
      expect(file.suggestedFilename()).toBe('generations.csv');
      const text = readFileSync(await file.path(), 'utf8');
      const listed = rowsOf(await rest('GET', '/generations')).toReversed();
      expect(csvRecords(text).map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
    });
  });

  it('finds a model and the endpoints where it runs, with prices per million tokens', async () => {
    await tour(async ({ page }) => {
      await open(page, 'Models');
      await page.getByLabel('Search').fill('M1 test');
      await page.getByText('1 models').waitFor();
      await page.getByRole('link', { name: 'Model test/m1' }).click();
      const endpoints = page.getByRole('table', { name: 'Endpoints' });
      await endpoints.waitFor();
      await eventually(() => endpoints.locator('tbody tr').count()).toBe(3);
      await eventually(() => endpoints.textContent()).toMatch(/\$1\.00[\s\S]*\$2\.00/);
    });
  });

  it('creates a guardrail, sets its rules, assigns and deletes it', async () => {
    await tour(async ({ page }) => {
      await open(page, 'Guardrails');
      await page.getByRole('button', { name: 'Create guardrail' }).click();
      await page.getByLabel('Name').fill('Contractors');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('heading', { name: 'Contractors' }).waitFor();
      await page.getByLabel('Budget (USD)').fill('50.5');
      await page.getByLabel('Zero data retention only').check();
      await page.getByRole('group', { name: 'Allowed models' }).getByLabel('Only these').check();
      await page.getByLabel('Add to Allowed models').fill('test/m2');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Guardrail saved').waitFor();
      await page.getByLabel('Add an API key').selectOption(gateway.apiKeyHash);
      await page.getByRole('button', { name: 'Assign' }).first().click();
      await page.getByText('Guardrail assigned').waitFor();

      const guardrails = rowsOf(await rest('GET', '/guardrails'));
      const made = guardrails.find(({ name }) => name === 'Contractors');
      expect(made).toMatchObject({ limit_usd: 50.5, enforce_zdr: true, allowed_models: ['test/m2'] });
      const assigned = rowsOf(await rest('GET', `/guardrails/${made?.id}/assignments/keys`));
      expect(assigned).toEqual([expect.objectContaining({ key_hash: gateway.apiKeyHash })]);

      await page.getByRole('button', { name: 'Delete guardrail' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete guardrail' }).click();
      await page.getByRole('heading', { name: 'Guardrails', level: 1 }).waitFor();
      expect(rowsOf(await rest('GET', '/guardrails'))).toHaveLength(guardrails.length - 1);
    });
  });

  it('creates a workspace with a budget and members', async () => {
    await tour(async ({ page }) => {
      await open(page, 'Workspaces');
      await page.getByRole('button', { name: 'Create workspace' }).click();
      await page.getByLabel('Name').fill('Research');
      await page.getByLabel('Slug').fill('Not a slug');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.locator('[data-field="slug"] .field-error').waitFor();
      await page.getByLabel('Slug').fill('research');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('heading', { name: 'Research' }).waitFor();
      await page.getByRole('button', { name: 'Set the monthly budget' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Budget (USD)').fill('99.99');
      await page.getByLabel('BYOK spend counts').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      // It closes when all of the page is read again; nothing under it takes text until then.
      await dialog.waitFor({ state: 'hidden' });
      await page.getByText('$0.00 of $99.99 spent').waitFor();
      await page.getByText('BYOK spend counts toward all of them').waitFor();
      await page.getByLabel('Add a member').fill('user_one');
      await page.getByRole('button', { name: 'Add members' }).click();
      await page.getByText('Members added').waitFor();
      await page.getByRole('cell', { name: 'user_one', exact: true }).waitFor();
      const members = rowsOf(await rest('GET', '/workspaces/research/members'));
      expect(members).toEqual([expect.objectContaining({ user_id: 'user_one' })]);
    });
  });

  it('saves preferences, sending only what was changed', async () => {
    await rest('PATCH', '/preferences', { ignored_providers: ['c'] });
    await tour(async ({ page }) => {
      await open(page, 'Preferences & privacy');
      const bodies: (string | null)[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('UpdatePreferences')) bodies.push(request.postData());
      });
      await page.getByLabel('Data collection by providers').selectOption({ label: 'Deny' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Preferences saved').waitFor();
      expect(bodies).toEqual([expect.stringContaining('"updateMask":"dataCollection"')]);
      expect(recordOf(await rest('GET', '/preferences'))).toMatchObject({
        data_collection: 'deny',
        ignored_providers: ['c'],
        zdr: false,
      });
    });
  });

  it('creates a client application and shows its secret once', async () => {
    await tour(async ({ page }) => {
      await open(page, 'Client applications');
      await page.getByRole('button', { name: 'Create client' }).click();
      await page.getByLabel('Name').fill('Portal');
      await page.getByLabel('Member').fill('user_portal');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      expect(await page.getByRole('textbox', { name: 'Client secret' }).inputValue()).toMatch(
        /^bw-client-[0-9a-f]{64}$/,
      );
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('textbox', { name: 'Client secret' }).waitFor({ state: 'hidden' });
      expect(await page.content()).not.toMatch(/bw-client-[0-9a-f]/);
      expect(await page.getByRole('row', { name: 'Portal' }).textContent()).toContain('user_portal');
    });
  });
});
