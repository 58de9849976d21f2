import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.js';
import { bodyOf, refusalOf, send } from '../support/rest.js';

const SCRIPT = '/assets/index-Ab12.js';
const TEXT = `console.info(${JSON.stringify('x'.repeat(2_000))});\n`;

/** A gateway with a dashboard of two files. */
async function withDashboard() {
  const directory = mkdtempSync(join(tmpdir(), 'byway-page-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>Byway</title>');
  writeFileSync(join(directory, 'assets/index-Ab12.js'), TEXT);
  return startGateway({ dashboard: directory });
}

describe('the dashboard is /, and nothing else on the server changes with it', () => {
  it('serves the page, revalidated each time, under a policy without exceptions', async () => {
    const { url } = await withDashboard();
    const { status, headers, text } = await send(`${url}/`, 'GET');
    expect([status, text]).toEqual([200, '<!doctype html><title>Byway</title>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
    });
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:|data:/);
  });

  it('serves files whose names change with their content, cached forever', async () => {
    const { url } = await withDashboard();
    const { headers, text } = await send(url + SCRIPT, 'GET');
    expect(text).toBe(TEXT);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it('compresses for clients that accept it', async () => {
    const { url } = await withDashboard();
    const answer = await fetch(url + SCRIPT, { headers: { 'accept-encoding': 'br, gzip;q=0.8' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    expect(await answer.text()).toBe(TEXT);
    for (const refused of ['identity', 'gzip;q=0', 'gzip; q=0.0, br']) {
      const { headers } = await send(url + SCRIPT, 'GET', { headers: { 'accept-encoding': refused } });
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  it('answers 304 to clients that have it already', async () => {
    const { url } = await withDashboard();
    const { headers } = await send(`${url}/`, 'GET');
    const again = await send(`${url}/`, 'GET', { headers: { 'if-none-match': headers.etag } });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('answers HEAD like GET, other methods with 405, and names nothing else', async () => {
    const { url } = await withDashboard();
    for (const path of ['/', SCRIPT]) {
      const head = await send(url + path, 'HEAD');
      const get = await send(url + path, 'GET');
      expect([head.status, head.text, head.headers['content-length']]).toEqual([
        ...[200, ''],
        get.headers['content-length'],
      ]);
      const post = await send(url + path, 'POST', { body: {} });
      expect([post.headers.allow, ...refusalOf(post)]).toEqual(['GET, HEAD', 405, 'method_not_allowed']);
    }
    for (const path of [
      '/index.html',
      '/assets',
      '/assets/',
      '/assets/..%2findex.html',
      '/keys',
      '/favicon.ico',
    ]) {
      expect((await send(url + path, 'GET')).status).toBe(404);
    }
  });

  it('where it is not built, / is an unknown path, and the log says so', async () => {
    const { url, log } = await startGateway();
    const answer = await send(`${url}/`, 'GET');
    expect([answer.status, bodyOf(answer).error]).toEqual([404, expect.anything()]);
    expect(log.join('')).toContain('the dashboard is not built');
  });

  it('does not start with a file that it can’t name the type of', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'byway-page-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    mkdirSync(join(directory, 'assets'));
    writeFileSync(join(directory, 'index.html'), '');
    writeFileSync(join(directory, 'assets/a.exe'), '');
    await expect(startGateway({ dashboard: directory })).rejects.toThrow(
      /no content type is known for .*a\.exe/,
    );
  });
});
