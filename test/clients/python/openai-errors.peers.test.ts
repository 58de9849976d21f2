import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoModel, demoProvider } from '../../support/catalog.js';
import { bodyOf, caller } from '../../support/rest.js';
import { startServerProcess } from '../../support/server-process.js';
import { type CountingFront, startCountingFront } from '../counting-front.js';
import { startFence } from '../fence.js';
import { CLIENTS_PYTHON, heardFrom, RUN_MS } from './python.js';

const SCRIPTS = [
  'echo',
  'status-400',
  'status-429',
  'status-500',
  'content-filter',
  'break-after-3',
  'stall',
];
const FREE = { pricing: { prompt: '0', completion: '0' } };

/** Free models, each with its script, and one that costs more than the account has. */
const CATALOG = {
  providers: [demoProvider('demo')],
  models: [
    ...SCRIPTS.map((script) =>
      demoModel(`demo/${script}`, [{ provider: 'demo', upstream_model_id: script }], FREE),
    ),
    demoModel('demo/dear', ['demo'], { pricing: { prompt: '100', completion: '0' } }),
  ],
};

/** Tells how often was asked since it was last told. */
async function startCounts(front: CountingFront): Promise<string> {
  const server = createServer((_, answer) => {
    answer.end(String(front.asked.length));
    front.forget();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe.runIf(CLIENTS_PYTHON !== '')("OpenAI's SDK for Python", () => {
  it(
    'has each failure as the class for it, with its code, type and member, and sends again what may go well then',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'byway-errors-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const catalog = join(folder, 'catalog.json');
      writeFileSync(catalog, JSON.stringify(CATALOG));
      const server = await startServerProcess({ BYWAY_CATALOG: catalog, BYWAY_ON_DISCONNECT: 'cancel' });
      onTestFinished(async () => void (await server.stop()));
      const rest = `http://127.0.0.1:${server.port}/api/v1`;
      const front = await startCountingFront(rest);
      onTestFinished(() => front.close());
      const fence = await startFence();
      onTestFinished(() => fence.close());
      const manage = caller({ rest }, server.managementKey);
      const { key } = bodyOf(await manage('POST', '/keys', { name: 'Limited', limit: 0 }));
      const asked = { url: front.rest.replace('/api/v1', ''), apiKey: server.apiKey, fence };
      const env = { MANAGEMENT_KEY: server.managementKey, COUNTED_URL: await startCounts(front) };
      const heard = await heardFrom(CLIENTS_PYTHON, 'openai_errors.py', asked, {
        ...env,
        LIMITED_KEY: String(key),
      });
      const error = (name: string, status: number, type: string, reason: string, more: object = {}) => {
        return { class: name, status, code: String(status), type, param: null, reason, asked: 1, ...more };
      };
      const bad = (reason: string, param: string | null) =>
        error('BadRequestError', 400, 'invalid_request_error', reason, { param });
      const limited = error('RateLimitError', 429, 'rate_limit_error', 'upstream_rate_limited');
      expect(heard).toEqual({
        'an unknown key': error('AuthenticationError', 401, 'authentication_error', 'invalid_api_key'),
        'an unknown model': bad('unknown_model', 'model'),
        'an unknown model, streamed': bad('unknown_model', 'model'),
        'an unknown model, asynchronously': bad('unknown_model', 'model'),
        'a member out of range': bad('invalid_request', 'temperature'),
        'an unknown member of provider': bad('invalid_request', 'provider.onyl'),
        'no endpoint': error('NotFoundError', 404, 'not_found_error', 'no_endpoint'),
        'a model that is not listed': {
          ...error('NotFoundError', 404, 'not_found_error', 'not_found', { asked: 0 }),
          type: null,
        },
        'a management key': error('PermissionDeniedError', 403, 'permission_error', 'permission_denied'),
        'a key with a limit': error('PermissionDeniedError', 403, 'insufficient_quota', 'key_limit_exceeded'),
        'no money': error('APIStatusError', 402, 'insufficient_quota', 'insufficient_credits', {
          asked: 2,
        }),
        'a rate limit': { ...limited, asked: 3 },
        'a rate limit, without retries': limited,
        'a host that fails': error('InternalServerError', 502, 'server_error', 'upstream_failed', {
          asked: 3,
        }),
        'a refusal of the host': bad('context_length_exceeded', 'messages'),
        'a filter': bad('content_filter', null),
        'a stream that breaks': { class: 'APIError', asked: 1 },
        'a timeout': { class: 'APITimeoutError', asked: 2 },
      });
      expect(fence.strays).toEqual([]);
    },
    RUN_MS,
  );
});
