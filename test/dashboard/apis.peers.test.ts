import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.js';
import { caller } from '../support/rest.js';
import { CHROMIUM, DASHBOARD, open, signIn, TEST_MS, useBrowser, visit } from './support/browser.js';

const MESSAGES = [{ role: 'user', content: 'Hi' }];
const ASKED: readonly (readonly [api: string, path: string, body: object])[] = [
  ['Chat completions', '/chat/completions', { messages: MESSAGES }],
  ['Messages', '/messages', { max_tokens: 10, messages: MESSAGES }],
  ['Responses', '/responses', { input: 'Hi', tools: [{ type: 'web_search' }] }],
  ['Text completions', '/completions', { prompt: 'Hi' }],
];

describe.skipIf(CHROMIUM === undefined)('a generation in the dashboard', { timeout: TEST_MS }, () => {
  const browser = useBrowser();

  it.each(ASKED)('of %s says so, with its session and what was left out', async (api, path, body) => {
    const gateway = await startGateway({ dashboard: DASHBOARD });
    const use = caller(gateway, gateway.apiKey);
    const asked = { model: 'demo/echo', prompt_cache_key: 'conversation-7', ...body };
    expect((await use('POST', path, asked)).status).toBe(200);
    const { page, close } = await visit(browser(), gateway.url);
    onTestFinished(close);
    await signIn(page, gateway.managementKey);
    await open(page, 'Generations');
    await page.getByRole('row').getByRole('link').click();
    await page.locator('.facts').waitFor();
    const facts = await page.locator('.facts > div').allTextContents();
    expect(facts).toEqual(expect.arrayContaining([`API${api}`, 'Sessionconversation-7']));
    expect(facts.filter((fact) => fact.startsWith('Left out') && fact.includes('web_search'))).toHaveLength(
      api === 'Responses' ? 1 : 0,
    );
  });
});
