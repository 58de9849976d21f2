/** The dashboard through nginx and Caddy: at the root, below a path, behind Basic authentication. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { documented, type FrontName, frontBinary, startFront } from '../support/fronts/fronts.js';
import { launchGateway, type TestGateway } from '../support/gateway.js';
import { caller, send } from '../support/rest.js';
import { CHROMIUM, DASHBOARD, open, signIn, TEST_MS, useBrowser, visit } from './support/browser.js';

/** Where pictures of what was seen are put, to be looked at; none are taken without it. */
const PICTURES = process.env.BYWAY_PICTURES;

const HOST = 'ai.example.com';
const PERSON = { username: 'ada', password: 'correct horse' };

/** The configurations of docs/operations.md, by what they do with the path. */
const WAYS: Readonly<Record<FrontName, readonly (readonly [string, string, string])[]>> = {
  nginx: [
    ['at the root', '', documented('nginx', 0)],
    ['below a path that it cuts off', '/llm', documented('nginx', 2)],
    ['below a path that it leaves', '/llm', documented('nginx', 2).replace(':8080/;', ':8080;')],
  ],
  Caddy: [
    ['at the root', '', documented('Caddy', 0)],
    ['below a path that it cuts off', '/llm', documented('Caddy', 2)],
    ['below a path that it leaves', '/llm', documented('Caddy', 3)],
  ],
};

/** The configuration, asking for a name and a password first. */
const ASKING: Readonly<Record<FrontName, (configuration: string) => string>> = {
  nginx: (configuration) => `auth_basic "Byway"; auth_basic_user_file users;\n${configuration}`,
  Caddy: (configuration) => {
    const { stdout } = spawnSync(
      frontBinary('Caddy') ?? '',
      ['hash-password', '--plaintext', PERSON.password],
      {
        encoding: 'utf8',
      },
    );
    return configuration.replace('{\n', `{\nbasicauth {\n${PERSON.username} ${stdout.trim()}\n}\n`);
  },
};

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A gateway behind the front; the URL of its dashboard without the slash. */
async function behind(name: FrontName, path: string, configuration: string) {
  const gateway = await launchGateway({
    dashboard: DASHBOARD,
    env: { BYWAY_PUBLIC_URL: `http://${HOST}${path}`, BYWAY_HOSTS: HOST, BYWAY_TRUST_PROXY: '1' },
  });
  stops.push(() => gateway.stop());
  await caller(gateway, gateway.apiKey)(
    'POST',
    '/chat/completions',
    { model: 'test/m1', messages: [{ role: 'user', content: 'Hello' }] },
    { host: HOST },
  );
  const users = { users: `${PERSON.username}:{PLAIN}${PERSON.password}\n` };
  const front = await startFront(name, configuration, gateway.url, users);
  stops.push(() => front.stop());
  return { gateway, front, url: `http://${HOST}:${front.port}${path}` };
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name.replaceAll(/\W+/g, '-')}.png` });
}

/** Signs in and does what needs files, calls, links and downloads. */
async function walk(page: Page, { managementKey }: TestGateway, name: string): Promise<void> {
  await signIn(page, managementKey);
  await page.getByText('test/m1').first().waitFor();
  await picture(page, `${name} overview`);
  await open(page, 'Models');
  await page.getByRole('link', { name: 'Model test/m1' }).click();
  await page.getByRole('heading', { name: 'Model test/m1', level: 1 }).waitFor();
  await picture(page, `${name} model`);
  await open(page, 'Generations');
  const stored = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  expect((await stored).suggestedFilename()).toBe('generations.csv');
  await page.reload();
  await page.getByRole('heading', { name: 'Generations', level: 1 }).waitFor();
}

describe.skipIf(CHROMIUM === undefined)('the dashboard', { timeout: TEST_MS }, () => {
  const browser = useBrowser();

  describe.each(['nginx', 'Caddy'] as const)('behind %s', (name) => {
    describe.skipIf(frontBinary(name) === undefined)('as documented', () => {
      it.each(WAYS[name])('works %s', async (way, path, configuration) => {
        const { gateway, url } = await behind(name, path, configuration);
        const { page, complaints, strayRequests, close } = await visit(browser(), url);
        await walk(page, gateway, `${name} ${way}`);
        expect([complaints, strayRequests]).toEqual([[], []]);
        expect(page.url()).toBe(`${url}/#/generations`);
        await close();
      });

      it.each(WAYS[name].slice(1))(
        'sends who forgets the slash there: %s',
        async (_, path, configuration) => {
          const { front } = await behind(name, path, configuration);
          const { status, headers } = await send(`http://127.0.0.1:${front.port}${path}`, 'GET', {
            headers: { host: HOST },
          });
          expect([301, 302, 308]).toContain(status);
          const { location = '' } = headers;
          expect(new URL(location, `http://${HOST}${path}`).pathname).toBe(`${path}/`);
        },
      );

      it('works behind Basic authentication, and clients with x-api-key do', async () => {
        const { gateway, front, url } = await behind(name, '', ASKING[name](documented(name, 0)));
        const { page, complaints, close } = await visit(browser(), url, { httpCredentials: PERSON });
        await walk(page, gateway, `${name} Basic`);
        expect(complaints).toEqual([]);
        await close();
        const basic = Buffer.from(`${PERSON.username}:${PERSON.password}`).toString('base64');
        const ask = (headers: object) =>
          send(`http://127.0.0.1:${front.port}/api/v1/key`, 'GET', { headers: { host: HOST, ...headers } });
        const known = { authorization: `Basic ${basic}`, 'x-api-key': gateway.apiKey };
        expect((await ask(known)).status).toBe(200);
        expect((await ask({ 'x-api-key': gateway.apiKey })).headers['www-authenticate']).toMatch(/^Basic/);
      });
    });
  });

  it('without a proxy redirects to the slash below a path, on every host', async () => {
    const env = { BYWAY_PUBLIC_URL: 'https://ai.example.com/a/llm/' };
    const gateway = await launchGateway({ dashboard: DASHBOARD, env });
    stops.push(() => gateway.stop());
    for (const path of ['/a/llm', '/a/llm?x=1']) {
      const { status, headers } = await send(gateway.url + path, 'GET', { headers: { host: 'x' } });
      expect([status, headers.location]).toEqual([308, '/a/llm/']);
    }
    for (const path of ['/a/llm/', '/']) {
      expect((await send(gateway.url + path, 'GET')).headers['content-type']).toMatch(/^text\/html/);
    }
    expect((await send(`${gateway.url}/a/llmx`, 'GET')).status).toBe(404);
  });
});
