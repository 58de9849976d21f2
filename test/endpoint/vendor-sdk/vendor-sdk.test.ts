import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileOperations } from '../../../src/rest/compile.js';
import type { Operation } from '../../../src/rest/operation.js';
import type { Call } from './call.js';
import { ADMINISTRATION_CALLS } from './calls-administration.js';
import { INFERENCE_CALLS } from './calls-inference.js';
import { sdkPages } from './pages.js';
import { methodsOfSdk, NOT_SERVED, SERVED, type ServedMethod } from './sdk-methods.js';
import { ALIASES, launchSdk, MODEL, type SdkWorld } from './world.js';

const CALLS: Readonly<Record<ServedMethod, Call>> = { ...INFERENCE_CALLS, ...ADMINISTRATION_CALLS };
const SERVED_METHODS = Object.entries(CALLS) as [ServedMethod, Call][];

let world: SdkWorld;
let operations: readonly Operation[];
beforeAll(async () => {
  world = await launchSdk();
  operations = compileOperations(world.gateway.gateway.services.map(({ service }) => service));
});
afterAll(() => world.stop());

describe("OpenRouter's SDK", () => {
  it.each(SERVED_METHODS)('parses what it is answered by %s', async (method, [call, answer]) => {
    expect(await call(world)).toMatchObject(answer);
    const last = world.requests.at(-1) ?? '';
    expect(last.replace('/api/v1/model/', '/api/v1/models/')).toMatch(patternOf(SERVED[method]));
  });

  it('has no method that is neither served nor said not to be', () => {
    const known = [...Object.keys(SERVED), ...Object.values(NOT_SERVED).flat()];
    expect(known.sort()).toEqual(methodsOfSdk().sort());
  });

  it('throws its own errors, with the message of the gateway', async () => {
    const chatRequest = { model: 'test/none', messages: [{ role: 'user' as const, content: 'Hello' }] };
    const { use, manage, sdk } = world;
    await expect(use.chat.send({ chatRequest })).rejects.toMatchObject({
      name: 'BadRequestResponseError',
      statusCode: 400,
      error: { code: 400, message: expect.stringContaining('test/none') },
    });
    await expect(sdk('bw-v1-none').chat.send({ chatRequest })).rejects.toMatchObject({
      name: 'UnauthorizedResponseError',
      statusCode: 401,
    });
    await expect(manage.apiKeys.get({ hash: '0'.repeat(64) })).rejects.toMatchObject({
      name: 'NotFoundResponseError',
      statusCode: 404,
    });
    const failing = { ...chatRequest, model: 'demo/status-503' };
    await expect(use.chat.send({ chatRequest: failing })).rejects.toMatchObject({ statusCode: 502 });
  });

  it('sees no speed of endpoints without a credential, and with one that of those that answered', async () => {
    const endpoints = { author: 'test', slug: MODEL.slice('test/'.length) };
    const chatRequest = { model: MODEL, messages: [{ role: 'user' as const, content: 'Hello' }] };
    await world.use.chat.send({ chatRequest });
    const seen = (await world.use.endpoints.list(endpoints)).data.endpoints;
    expect(seen).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          latencyLast30m: {
            p50: expect.any(Number),
            p75: expect.any(Number),
            p90: expect.any(Number),
            p99: expect.any(Number),
          },
        }),
      ]),
    );
    const unknown = (await world.sdk('').endpoints.list(endpoints)).data.endpoints;
    expect(
      unknown.map(({ latencyLast30m, throughputLast30m }) => [latencyLast30m, throughputLast30m]),
    ).toEqual(unknown.map(() => [null, null]));
    expect(unknown.some(({ uptimeLast1d }) => uptimeLast1d === 100)).toBe(true);
  });

  it('is described in the documentation, method by method; UPDATE_GOLDEN=1 writes the tables anew', () => {
    const page = 'docs/compatibility.md';
    const written = readFileSync(page, 'utf8').replace(TABLES, () => `${HEAD}${sdkPages(operations)}`);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(page, written);
    expect(readFileSync(page, 'utf8')).toBe(written);
    expect(written).toContain(`BYWAY_FIELD_ALIASES="${ALIASES}"`);
  });
});

const HEAD = '<!-- written by test/endpoint/vendor-sdk -->\n\n';
const TABLES = /<!-- written by test\/endpoint\/vendor-sdk -->\n\n(?:\|.*\n|\n(?=\|))+/;

/** `GET /keys/{hash}` as the method and path of a request. */
function patternOf(operation: string): RegExp {
  const [method, path = ''] = operation.split(' ');
  return new RegExp(`^${method} /api/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}
