import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.js';
import { bodyOf, caller, recordOf } from '../support/rest.js';
import { CHROMIUM, DASHBOARD, open, signIn, TEST_MS, useBrowser, visit } from './support/browser.js';

describe.skipIf(CHROMIUM === undefined)('the dashboard after deletions', { timeout: TEST_MS }, () => {
  const browser = useBrowser();

  /** A gateway whose only request was of a key, a provider key and a workspace that are deleted. */
  async function start() {
    const gateway = await startGateway({ dashboard: DASHBOARD });
    const manage = caller(gateway, gateway.managementKey);
    const { id: workspace_id } = recordOf(
      await manage('POST', '/workspaces', { name: 'Old team', slug: 'old-team' }),
    );
    const made = bodyOf(await manage('POST', '/keys', { name: 'Old key', workspace_id }));
    const credential = { provider: 'a', key: 'demo-echo-0123456789', name: 'Old credential', workspace_id };
    const byok = recordOf(await manage('POST', '/byok', credential));
    const messages = [{ role: 'user', content: 'Hello' }];
    const chat = { model: 'test/m1', messages };
    expect((await caller(gateway, String(made.key))('POST', '/chat/completions', chat)).status).toBe(200);
    const { hash } = made.data as { hash: string };
    for (const path of [`/keys/${hash}`, `/byok/${byok.id}`, `/workspaces/${workspace_id}`]) {
      expect((await manage('DELETE', path)).status).toBe(200);
    }
    const { page, close } = await visit(browser(), gateway.url);
    onTestFinished(close);
    await signIn(page, gateway.managementKey);
    return page;
  }

  it('shows what is gone by its name, and filters by it', async () => {
    const page = await start();
    await page.getByRole('cell', { name: 'Old key (deleted)' }).waitFor();
    await open(page, 'Generations');
    const key = page.getByLabel('API key', { exact: true });
    await key.locator('option', { hasText: 'Old key (deleted)' }).waitFor({ state: 'attached' });
    await key.selectOption({ label: 'Old key (deleted)' });
    await page.getByLabel('Workspace', { exact: true }).selectOption({ label: 'Old team (deleted)' });
    await page.getByRole('row').getByRole('link').click();
    const facts = page.locator('dl.facts');
    await facts.getByText('Old key (deleted)').waitFor();
    await facts.getByText('Old team (deleted)').waitFor();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await attempts.getByText('Old credential (deleted)').waitFor();
  });
});
