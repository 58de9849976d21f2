import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { buildByway } from '../../support/byway.js';

/** Where the browser is; undefined where there is none. */
export const CHROMIUM = [process.env.CHROMIUM_PATH, '/usr/bin/chromium'].find(
  (path) => path !== undefined && existsSync(path),
);

if (CHROMIUM === undefined) {
  process.stderr.write(
    'SKIPPED: the dashboard in a browser: no chromium at $CHROMIUM_PATH or /usr/bin/chromium\n',
  );
}

/** Where `buildByway` puts the page. */
export const DASHBOARD = 'dist/dashboard';

/** How long a test in the browser may take, on a machine that is busy with others. */
export const TEST_MS = 240_000;

/** How long one step of it may take: reports are read at the lowest priority, and a busy machine leaves little to that. */
export const WAIT_MS = 60_000;

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Hosts that are this machine to the browser, whatever the system says. */
const HERE = '--host-resolver-rules=MAP *.example.com 127.0.0.1';

/** A browser, and a built dashboard, for all tests of the block that this is called in. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const executablePath = CHROMIUM ?? '';
    const launched = chromium.launch({ executablePath, args: [...FLAGS, HERE] });
    [browser] = await Promise.all([launched, buildByway()]);
  }, TEST_MS);
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('the browser is there in tests alone');
    return browser;
  };
}

/** A page in a session of its own, and what went wrong in it. */
export interface Visit {
  readonly page: Page;
  /** Errors of the console, uncaught errors and violations of the Content-Security-Policy. */
  readonly complaints: string[];
  /** URLs of requests to anywhere but the gateway. */
  readonly strayRequests: string[];
  close(): Promise<void>;
}

/** A refusal that the page shows is also in the console: the browser writes it there by itself. */
const REFUSED_CALL = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Opens the page at the URL. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const strayRequests: string[] = [];
  page.on('console', (message) => {
    const isSerious = message.type() === 'error' || message.type() === 'warning';
    if (isSerious && !REFUSED_CALL.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) strayRequests.push(request.url());
  });
  await page.goto(`${url}/`);
  return { page, complaints, strayRequests, close: () => context.close() };
}

/** Signs in with a management key and waits for the overview. */
export async function signIn(page: Page, managementKey: string): Promise<void> {
  await page.getByLabel('Management key').fill(managementKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Waits until something comes to be so, for as long as a step may take. */
export function eventually<T>(look: () => T) {
  return expect.poll(look, { timeout: WAIT_MS, interval: 20 });
}

/** Waits until nothing of the page is still being loaded. */
export async function loaded(page: Page): Promise<void> {
  await eventually(() => page.locator('main .loading').count()).toBe(0);
}

/** Goes to a page by the sidebar. */
export async function open(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: title }).click();
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
}
