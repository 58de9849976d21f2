import { create } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { UpdateByokKeyResponseSchema } from '../../gen/byway/v1/byok_pb.js';
import { CreateChatCompletionResponseSchema } from '../../gen/byway/v1/chat_pb.js';
import {
  CreateKeyResponseSchema,
  DeleteKeyResponseSchema,
  file_byway_v1_keys,
  GetKeyResponseSchema,
  ListKeysResponseSchema,
  UpdateKeyResponseSchema,
} from '../../gen/byway/v1/keys_pb.js';
import {
  ListModelEndpointsResponseSchema,
  ListUserModelsResponseSchema,
} from '../../gen/byway/v1/models_pb.js';
import { http } from '../../gen/google/api/annotations_pb.js';
import { compileOperations } from '../../src/rest/compile.js';
import { changed, edit, methodOptions } from './changed.js';
import { serve } from './stub.js';

const json = { 'content-type': 'application/json' };

describe('a REST call becomes an RPC', () => {
  it('with path, body and the mask of the members present', async () => {
    const { fastify, calls } = await serve({
      unary: () => create(UpdateKeyResponseSchema, { data: { hash: 'h' } }),
    });
    const response = await fastify.inject({
      method: 'PATCH',
      url: '/api/v1/keys/abc%2Fd',
      headers: json,
      payload: '{"limit":null,"name":"n"}',
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ data: { hash: 'h' } });
    expect(calls[0]?.method.name).toBe('UpdateKey');
    expect(calls[0]?.message).toMatchObject({
      $typeName: 'byway.v1.UpdateKeyRequest',
      key: { hash: 'abc/d', name: 'n' },
      updateMask: { paths: ['limit', 'name'] },
    });
  });

  it('with an empty mask for an empty update', async () => {
    const { fastify, calls } = await serve({ unary: () => create(UpdateByokKeyResponseSchema) });
    await fastify.inject({ method: 'PATCH', url: '/api/v1/byok/x', headers: json, payload: '{}' });
    expect(calls[0]?.message).toMatchObject({ byokKey: { id: 'x' }, updateMask: { paths: [] } });
  });

  it('with the whole body as the request, and its own status of success', async () => {
    const { fastify, calls } = await serve({
      unary: () => create(CreateKeyResponseSchema, { key: 'bw-v1-x' }),
    });
    const payload = { name: 'n', limit: 5 };
    const response = await fastify.inject({ method: 'POST', url: '/api/v1/keys', payload });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({ data: null, key: 'bw-v1-x' });
    expect(calls[0]?.message).toMatchObject({ $typeName: 'byway.v1.CreateKeyRequest', ...payload });
  });

  it('with query parameters', async () => {
    const { fastify, calls } = await serve({
      unary: () => create(ListKeysResponseSchema, { totalCount: 3 }),
    });
    const response = await fastify.inject(
      '/api/v1/keys?offset=1&limit=2&include_disabled=true&workspace_id=',
    );
    expect(response.json()).toEqual({ data: [], total_count: 3 });
    expect(calls[0]?.message).toEqual(
      expect.objectContaining({ offset: 1, limit: 2, includeDisabled: true }),
    );
    expect(calls[0]?.message).not.toHaveProperty('workspaceId');
  });

  it('with path variables that hold colons, tildes and escapes', async () => {
    const { fastify, calls } = await serve({ unary: () => create(ListModelEndpointsResponseSchema) });
    await fastify.inject('/api/v1/models/~author/gpt-4.1:free/endpoints');
    await fastify.inject('/api/v1/models/a%20b/%C3%A9%2Fx/endpoints');
    expect(calls.map(({ message }) => [message.author, message.slug])).toEqual([
      ['~author', 'gpt-4.1:free'],
      ['a b', 'é/x'],
    ]);
  });

  it('without a body where the operation has none, an empty object included', async () => {
    const { fastify, calls } = await serve({
      unary: () => create(DeleteKeyResponseSchema, { deleted: true }),
    });
    const url = '/api/v1/keys/h';
    for (const request of [{}, { headers: json }, { headers: json, payload: '{}' }]) {
      const response = await fastify.inject({ method: 'DELETE', url, ...request });
      expect(response.json()).toEqual({ deleted: true });
    }
    expect(calls).toHaveLength(3);
    const refused = await fastify.inject({
      method: 'DELETE',
      url,
      headers: json,
      payload: '{"hash":"other"}',
    });
    expect(refused.json().error.metadata.violations).toMatchObject([{ field: 'hash', rule: 'unknown' }]);
  });

  it('whose answer has only the headers that are meant for callers', async () => {
    const { fastify } = await serve({
      unary: (_, header) => {
        header.set('x-generation-id', 'gen-1');
        header.set('x-goog-api-key', 'secret');
        return create(CreateChatCompletionResponseSchema, { id: 'gen-1' });
      },
    });
    const payload = { messages: [] };
    const response = await fastify.inject({ method: 'POST', url: '/api/v1/chat/completions', payload });
    expect(response.headers).toMatchObject({
      'x-generation-id': 'gen-1',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(JSON.stringify(response.headers)).not.toContain('secret');
    expect(response.headers).not.toHaveProperty('x-powered-by');
  });

  it('whose route tells the request guard which operation it is', async () => {
    const { fastify, seen } = await serve({ unary: () => create(GetKeyResponseSchema) });
    await fastify.inject('/api/v1/keys/h');
    await fastify.inject({ method: 'HEAD', url: '/api/v1/keys/h' });
    await fastify.inject({ method: 'POST', url: '/api/v1/chat/completions', payload: {} });
    expect(seen).toEqual(['GetKey', 'GetKey', 'CreateChatCompletion']);
  });
});

describe('a path variable of an enum', () => {
  const ownOperations = compileOperations(
    changed(file_byway_v1_keys, (proto) => {
      proto.messageType
        .find(({ name }) => name === 'GetKeyRequest')
        ?.field.push(
          create(FieldDescriptorProtoSchema, {
            name: 'interval',
            number: 2,
            label: FieldDescriptorProto_Label.OPTIONAL,
            type: FieldDescriptorProto_Type.ENUM,
            typeName: '.byway.v1.LimitReset',
          }),
        );
      const pattern = { case: 'get', value: '/keys/{hash}/usage/{interval}' } as const;
      edit(methodOptions(proto, 'GetKey'), http, (rule) => Object.assign(rule, { pattern }));
    }),
  );

  it('is one of its spellings; anything else names no resource', async () => {
    const { fastify, calls } = await serve({ unary: () => create(GetKeyResponseSchema) }, ownOperations);
    expect((await fastify.inject('/api/v1/keys/h/usage/weekly')).statusCode).toBe(200);
    expect(calls[0]?.message).toMatchObject({ hash: 'h', interval: 2 });
    const other = await fastify.inject('/api/v1/keys/h/usage/yearly');
    expect([other.statusCode, other.json().error.metadata.reason]).toEqual([404, 'not_found']);
  });
});

describe('HEAD answers like GET', () => {
  it('without a body', async () => {
    const { fastify } = await serve({ unary: () => create(ListKeysResponseSchema, { totalCount: 3 }) });
    const response = await fastify.inject({ method: 'HEAD', url: '/api/v1/keys' });
    expect([response.statusCode, response.body]).toEqual([200, '']);
    expect(response.headers['content-length']).toBe(String('{"data":[],"total_count":3}'.length));
  });
});

describe('a model list is revalidated by its ETag', () => {
  it('and serialised once for the same message object', async () => {
    const message = create(ListUserModelsResponseSchema, { data: [{ id: 'a/b' }], totalCount: 1, links: {} });
    const { fastify } = await serve({ unary: () => message });
    const first = await fastify.inject('/api/v1/models/user?utm=x');
    expect(first.headers['cache-control']).toBe('private, no-cache');
    expect(first.json()).toMatchObject({ data: [{ id: 'a/b' }], total_count: 1, links: { next: null } });
    message.totalCount = 2;
    const second = await fastify.inject('/api/v1/models/user');
    expect(second.body).toBe(first.body);
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const unchanged = await fastify.inject({
        url: '/api/v1/models/user',
        headers: { 'if-none-match': known },
      });
      expect([unchanged.statusCode, unchanged.body, unchanged.headers.etag]).toEqual([304, '', etag]);
      expect(unchanged.headers['cache-control']).toBe('private, no-cache');
    }
    const changed = await fastify.inject({
      url: '/api/v1/models/user',
      headers: { 'if-none-match': '"other"' },
    });
    expect(changed.statusCode).toBe(200);
    const head = await fastify.inject({ method: 'HEAD', url: '/api/v1/models/user' });
    expect([head.statusCode, head.headers.etag, head.body]).toEqual([200, etag, '']);
  });
});
