import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guardedConnector, guardedLookup } from '../../src/providers/http/guard.js';
import { createHttp } from '../../src/providers/http/http.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../support/fakes/fake-openai.js';
import { TENANCY } from '../support/tenancy.js';

const PUBLIC: LookupAddress = { address: '93.184.215.14', family: 4 };
const PRIVATE: LookupAddress = { address: '127.0.0.1', family: 4 };
const MAPPED: LookupAddress = { address: '::ffff:10.0.0.1', family: 6 };

/** A resolver that knows these addresses for any name. */
function resolver(...addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, _options, callback) => callback(null, [...addresses]);
}

/** The failure of Node's own lookup: the error alone, although its type has an address too. */
const noSuchName: LookupFunction = (hostname, _options, callback) => {
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
  Reflect.apply(callback, undefined, [error]);
};

function resolve(lookup: LookupFunction, options: { all?: boolean } = {}) {
  return new Promise((done, fail) => {
    guardedLookup(lookup)('host.invalid', options, (error, address, family) => {
      if (error === null) done(family === undefined ? address : { address, family });
      else fail(error);
    });
  });
}

describe('an address that a credential’s host resolves to', () => {
  it('is connected to when it is public', async () => {
    expect(await resolve(resolver(PUBLIC))).toEqual(PUBLIC);
    expect(await resolve(resolver(PUBLIC, PUBLIC), { all: true })).toEqual([PUBLIC, PUBLIC]);
  });

  it.each([[[PRIVATE]], [[MAPPED]], [[PUBLIC, PRIVATE]], [[PUBLIC, MAPPED]], [[]]])(
    'is refused when it is %j',
    async (addresses) => {
      await expect(resolve(resolver(...addresses))).rejects.toMatchObject({ code: 'EPRIVATE' });
      await expect(resolve(resolver(...addresses), { all: true })).rejects.toMatchObject({
        code: 'EPRIVATE',
      });
    },
  );

  it.each([{}, { all: true }])('fails as the resolver fails, with the options %j', async (options) => {
    await expect(resolve(noSuchName, options)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('comes from fakes that call back as Node does', async () => {
    const called = (lookup: LookupFunction) =>
      new Promise<unknown[]>((done) => {
        lookup('nonexistent.invalid', { all: true }, (...given) => done(given));
      });
    const [ofNode, ofFake] = await Promise.all([called(systemLookup), called(noSuchName)]);
    expect(ofNode).toEqual([expect.any(Error)]);
    expect(ofFake).toHaveLength(ofNode.length);
    const localhost = await new Promise<unknown[]>((done) => {
      systemLookup('localhost', { all: true }, (...given) => done(given));
    });
    expect(await called(resolver(PUBLIC))).toHaveLength(localhost.length);
    expect(localhost).toEqual([null, expect.arrayContaining([expect.objectContaining(PRIVATE)])]);
  });

  it('fails in Node itself where a name does not exist', async () => {
    await expect(resolve(systemLookup)).rejects.toMatchObject({ syscall: 'getaddrinfo' });
  });
});

describe('a guarded connection', () => {
  async function post(host: string, lookup: LookupFunction) {
    const fake = await startFakeOpenAi();
    const http = createHttp(guardedConnector(lookup));
    onTestFinished(() => http.close());
    const url = new URL(`${fake.baseUrl}/chat/completions`);
    url.hostname = host;
    const headers = { authorization: `Bearer ${FAKE_API_KEY}` };
    const body = JSON.stringify({ model: 'm', messages: [] });
    const answer = http.post({
      ...{ url, headers, body, tenancy: TENANCY },
      signal: new AbortController().signal,
    });
    return { fake, answer };
  }

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', 'localhost', 'public.example'])(
    'to %s is never made when that is this machine',
    async (host) => {
      const { fake, answer } = await post(host, resolver(PRIVATE));
      await expect(answer).rejects.toMatchObject({
        kind: 'upstream_error',
        error: 'connect',
        message: 'No connection to the provider could be made',
        cause: { code: 'EPRIVATE' },
      });
      expect(fake.connections).toBe(0);
    },
  );

  it('resolves a name once, so that a second answer cannot differ', async () => {
    const pending: string[] = [];
    const { answer } = await post('public.example', (name, _options, callback) => {
      pending.push(name);
      callback(null, [{ address: '192.0.2.1', family: 4 }]);
    });
    await expect(answer).rejects.toMatchObject({ cause: { code: 'EPRIVATE' } });
    expect(pending).toEqual(['public.example']);
  });
});
