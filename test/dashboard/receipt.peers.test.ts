import { describe, expect, it, onTestFinished } from 'vitest';
import { demoModel, testCatalog } from '../support/catalog.js';
import { startGateway } from '../support/gateway.js';
import { caller, recordOf } from '../support/rest.js';
import { CHROMIUM, DASHBOARD, open, signIn, TEST_MS, useBrowser, visit } from './support/browser.js';

const PRICING = {
  prompt: '0.000003',
  completion: '0.000015',
  request: '0.0000000004',
  discount: 0.1,
  overrides: [{ min_prompt_tokens: 0, prompt: '0.000006' }],
};

describe.skipIf(CHROMIUM === undefined)('the receipt in the dashboard', { timeout: TEST_MS }, () => {
  const browser = useBrowser();

  it('is on the page of its generation, and says where there is none', async () => {
    const { providers, models } = testCatalog();
    const gateway = await startGateway({
      dashboard: DASHBOARD,
      catalog: { providers, models: [...models, demoModel('test/priced', ['a'], { pricing: PRICING })] },
    });
    const [manage, use] = [caller(gateway, gateway.managementKey), caller(gateway, gateway.apiKey)];
    const messages = [{ role: 'user', content: 'Hello there, this is a prompt of some words' }];
    const chat = () => use('POST', '/chat/completions', { model: 'test/priced', messages });
    recordOf(await manage('POST', '/byok', { provider: 'a', key: 'demo-echo-0123456789' }));
    expect((await chat()).status).toBe(200);
    const { page, close } = await visit(browser(), gateway.url);
    onTestFinished(close);
    await signIn(page, gateway.managementKey);
    await open(page, 'Generations');
    await page.getByRole('row').getByRole('link').click();
    const receipt = page.getByRole('table', { name: 'Receipt' });
    await receipt.waitFor();
    const rows = await receipt.locator('tbody tr').allTextContents();
    expect(rows[0]).toMatch(/Prompt tokens\d+\$3\.00 \/ M\$5\.40 \/ M\$0\.0000\d+/);
    expect(rows[1]).toMatch(/Completion tokens\d+\$15\.00 \/ M\$13\.50 \/ M\$0\.000\d+/);
    expect(rows[2]).toBe('Request1$0.0000000004 each$0.00000000036 each$0.00000000036');
    const sums = await page.locator('.receipt-sums').textContent();
    expect(sums).toMatch(/Rounding−\$0\.00000000036/);
    expect(sums).toMatch(/List price, paid to the provider\$0\.000/);
    expect(sums).toMatch(/Free allowance left before\$25,000\.00Fee of 5 % on \$0\.00\$0\.00Charged\$0\.00/);
    for (const term of ['Discount 10 %', 'Price overrides 0', 'Counted by the provider']) {
      await page.getByText(term, { exact: true }).waitFor();
    }

    await gateway.gateway.database.transact([], (tx) =>
      tx.updateTable('generation').set({ terms_id: null }).execute(),
    );
    await page.reload();
    await page.getByText('No receipt').waitFor();
  });
});
