import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextValues, createRouterTransport } from '@connectrpc/connect';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';
import { GetKeyResponseSchema, KeyService } from '../../gen/byway/v1/keys_pb.js';
import { invalid, notFound, Problem } from '../../src/base/problem.js';
import { APIS } from '../../src/compose/apis.js';
import { errorAnswer } from '../../src/http/error-envelope.js';
import { AnswerCache } from '../../src/rest/answer-cache.js';
import { restPlugin } from '../../src/rest/rest-plugin.js';
import { operations, serve } from './stub.js';

const json = { 'content-type': 'application/json' };
const answered = { unary: () => create(GetKeyResponseSchema) };

async function post(payload: string | Buffer, headers: Record<string, string> = json) {
  const { fastify, calls } = await serve(answered);
  const response = await fastify.inject({ method: 'POST', url: '/api/v1/keys', headers, payload });
  expect(calls).toHaveLength(0);
  return { status: response.statusCode, error: response.json().error, headers: response.headers };
}

describe('a request that cannot be read', () => {
  it('names every violation of query and body at once', async () => {
    const { fastify } = await serve(answered);
    const response = await fastify.inject({
      method: 'PATCH',
      url: '/api/v1/keys/h?dry_run=1&update_mask=name',
      headers: json,
      payload: '{"naem":"x","limit":"5","hash":"y"}',
    });
    expect(response.statusCode).toBe(400);
    const { code, message, metadata } = response.json().error;
    expect([code, metadata.reason]).toEqual([400, 'invalid_request']);
    expect(metadata.violations.map((v: { field: string; rule: string }) => `${v.field} ${v.rule}`)).toEqual([
      'dry_run unknown',
      'update_mask unknown',
      'naem unknown',
      'limit type',
      'hash read_only',
    ]);
    expect(message).toContain('naem: unknown member; did you mean name?');
  });

  it('is 400 for what is not JSON, repeating nothing of it', async () => {
    const { status, error } = await post('{"key": sk-secret-text}');
    expect(status).toBe(400);
    expect(error.metadata).toMatchObject({
      reason: 'invalid_request',
      violations: [{ field: '', rule: 'json' }],
    });
    expect(JSON.stringify(error)).not.toContain('sk-');
  });

  it('is 400 for bytes that are not UTF-8', async () => {
    const { status, error } = await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    expect([status, error.metadata.violations[0].rule]).toEqual([400, 'json']);
  });

  it('is 400 for a body that is missing or not an object', async () => {
    expect((await post('')).error.metadata.violations).toMatchObject([{ field: '', rule: 'required' }]);
    expect((await post('', {})).error.metadata.violations).toMatchObject([{ field: '', rule: 'required' }]);
    for (const body of ['null', '[]', '"x"', '1']) {
      expect((await post(body)).error.metadata.violations).toMatchObject([{ field: '', rule: 'type' }]);
    }
  });

  it('is 415 for any other content type', async () => {
    const others = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/jsonx',
      'json',
      'application/json, text/plain',
    ];
    for (const type of others) {
      const { status, error } = await post('{}', { 'content-type': type });
      expect([type, status, error.metadata.reason]).toEqual([type, 415, 'unsupported_media_type']);
    }
    expect((await post('{}', {})).status).toBe(415);
    for (const type of ['application/json;charset=UTF-8', 'APPLICATION/JSON; charset="utf-8"']) {
      expect((await post('{"x":1}', { 'content-type': type })).status).toBe(400);
    }
  });

  it('is 413 beyond 1 MiB of administration', async () => {
    const { status, error } = await post(JSON.stringify({ name: 'x'.repeat(1024 * 1024) }));
    expect([status, error.metadata.reason]).toEqual([413, 'body_too_large']);
  });

  it('is 404 for a path that is not UTF-8, or longer than any name', async () => {
    const { fastify } = await serve(answered);
    for (const url of ['/api/v1/keys/%ZZ', `/api/v1/keys/${'a'.repeat(5000)}`]) {
      const response = await fastify.inject(url);
      expect([response.statusCode, response.json().error.metadata.reason]).toEqual([404, 'unknown_path']);
      expect(response.headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

describe('paths and methods', () => {
  it('are 404 when unknown, before the body is read', async () => {
    const { fastify } = await serve(answered);
    for (const url of ['/api/v1/kees', '/api/v1', '/api/v1/models/a/b/c', '/api/v1/keys/x/y', '/other']) {
      const response = await fastify.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'text/x' },
        payload: '{',
      });
      expect([url, response.statusCode, response.json().error]).toMatchObject([
        url,
        404,
        { code: 404, metadata: { reason: 'unknown_path' } },
      ]);
    }
  });

  it('are 405 with Allow when the method is wrong', async () => {
    const { fastify } = await serve(answered);
    const allow = async (method: 'PUT' | 'DELETE' | 'POST', url: string) => {
      const response = await fastify.inject({
        method,
        url,
        headers: { 'content-type': 'text/x' },
        payload: '{',
      });
      expect([response.statusCode, response.json().error.metadata.reason]).toEqual([
        405,
        'method_not_allowed',
      ]);
      return response.headers.allow;
    };
    expect(await allow('PUT', '/api/v1/keys?x=1')).toBe('GET, HEAD, POST');
    expect(await allow('POST', '/api/v1/keys/abc')).toBe('GET, HEAD, PATCH, DELETE');
    expect(await allow('DELETE', '/api/v1/models/user')).toBe('GET, HEAD');
  });
});

describe('over a transport of the library', () => {
  it('an error of the RPC core arrives unchanged', async () => {
    const detail = create(ErrorDetailSchema, { httpStatus: 404, reason: 'not_found', userId: 'user_1' });
    const transport = createRouterTransport(({ rpc }) => {
      rpc(KeyService.method.listKeys, () => ({ totalCount: 7 }));
      rpc(KeyService.method.getKey, () => {
        throw new ConnectError('gone', Code.NotFound, undefined, [
          { desc: ErrorDetailSchema, value: detail },
        ]);
      });
    });
    const fastify = Fastify();
    const contextValues = () => createContextValues();
    await fastify.register(restPlugin, {
      pingMs: 0,
      apis: APIS,
      answers: new AnswerCache(),
      operations,
      transport: { ...transport, isOpen: () => false },
      contextValues,
      aliases: new Map(),
    });
    expect((await fastify.inject('/api/v1/keys')).json()).toEqual({ data: [], total_count: 7 });
    expect((await fastify.inject('/api/v1/keys/h')).json()).toEqual({
      error: { code: 404, message: 'gone', metadata: { reason: 'not_found' } },
      user_id: 'user_1',
    });
  });
});

describe('an error of the core', () => {
  async function thrown(error: unknown) {
    const { fastify } = await serve({ unary: () => Promise.reject(error) });
    return fastify.inject('/api/v1/keys/h');
  }

  it('is answered as its detail says', async () => {
    const detail = {
      httpStatus: 429,
      reason: 'rate_limited',
      violations: [{ field: 'a', rule: 'b', message: 'c' }],
      metadata: { attempts: 2 },
      userId: 'user_1',
    };
    const error = new ConnectError('slow down', Code.ResourceExhausted, { 'retry-after': '7' }, [
      { desc: ErrorDetailSchema, value: create(ErrorDetailSchema, detail) },
    ]);
    const response = await thrown(error);
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('7');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.json()).toEqual({
      error: {
        code: 429,
        message: 'slow down',
        metadata: { reason: 'rate_limited', violations: detail.violations, attempts: 2 },
      },
      user_id: 'user_1',
    });
  });

  it('may be a Problem', async () => {
    const missing = await thrown(notFound());
    expect([missing.statusCode, missing.json()]).toEqual([
      404,
      { error: { code: 404, message: 'Resource not found', metadata: { reason: 'not_found' } } },
    ]);
    const refused = await thrown(invalid([{ field: 'name', rule: 'min_len', message: 'is too short' }]));
    expect(refused.json().error.message).toBe('name: is too short');
    const busy = errorAnswer(new Problem('rate_limited', 'Rate limit exceeded', { retryAfterSeconds: 3 }));
    expect([busy.status, busy.headers['Retry-After']]).toEqual([429, '3']);
  });

  it('is not shown when it is unexpected', async () => {
    const causes = [
      new Error('table api_keys at /srv'),
      new ConnectError('table api_keys', Code.Internal),
      'text',
      undefined,
    ];
    for (const cause of causes) {
      const response = await thrown(cause);
      expect([response.statusCode, response.json()]).toEqual([
        500,
        { error: { code: 500, message: 'Internal server error', metadata: { reason: 'internal' } } },
      ]);
    }
  });

  it('is 499 when the client has disconnected', () => {
    expect(errorAnswer(new ConnectError('x', Code.Canceled)).status).toBe(499);
    const wrapped = new ConnectError('x', Code.Internal, undefined, undefined, notFound());
    expect(errorAnswer(wrapped).status).toBe(404);
  });
});
