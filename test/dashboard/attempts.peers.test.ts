import { describe, expect, it, onTestFinished } from 'vitest';
import { demoModel, testCatalog } from '../support/catalog.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../support/fakes/fake-openai.js';
import { startGateway } from '../support/gateway.js';
import { caller, recordOf } from '../support/rest.js';
import {
  CHROMIUM,
  DASHBOARD,
  eventually,
  open,
  signIn,
  TEST_MS,
  useBrowser,
  visit,
} from './support/browser.js';

describe.skipIf(CHROMIUM === undefined)('attempts in the dashboard', { timeout: TEST_MS }, () => {
  const browser = useBrowser();

  /** A gateway with a provider that refuses `top_k`, and its dashboard, signed in. */
  async function start() {
    const { baseUrl } = await startFakeOpenAi();
    const { providers, models } = testCatalog();
    const host = { slug: 'host', name: 'Host', adapter: 'openai', base_url: baseUrl };
    const gateway = await startGateway({
      dashboard: DASHBOARD,
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      catalog: {
        providers: [...providers, host],
        models: [...models, demoModel('host/m', [{ provider: 'host', upstream_model_id: 'm' }])],
      },
    });
    const manage = caller(gateway, gateway.managementKey);
    recordOf(await manage('POST', '/byok', { provider: 'host', key: FAKE_API_KEY }));
    const { page, close } = await visit(browser(), gateway.url);
    onTestFinished(close);
    await signIn(page, gateway.managementKey);
    return { gateway, manage, page };
  }

  it('say what was left out of a request since the provider refuses it', async () => {
    const { gateway, page } = await start();
    const messages = [{ role: 'user', content: 'Hello' }];
    const body = { model: 'host/m', messages, top_k: 5 };
    const answer = await caller(gateway, gateway.apiKey)('POST', '/chat/completions', body);
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    await open(page, 'Generations');
    await page.getByRole('row').getByRole('link').click();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    expect(await attempts.locator('tbody tr').textContent()).toMatch(/Host[\s\S]*200[\s\S]*Adapted: top_k/);
  });

  it('of a route are below what the key itself would be refused for', async () => {
    const { gateway, manage, page } = await start();
    recordOf(await manage('PATCH', `/keys/${gateway.apiKeyHash}`, { limit: 0 }));
    await open(page, 'Explain a route');
    await page.getByLabel('Model', { exact: true }).fill('test/m1');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('A request would be refused before any attempt').waitFor();
    await page.getByText('key_limit_exceeded').waitFor();
    const attempts = page.getByRole('table', { name: 'Attempts' }).locator('tbody tr');
    await eventually(() => attempts.count()).toBe(3);
  });
});
