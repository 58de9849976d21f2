import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../../support/gateway.js';
import { type Answer, bodyOf, type Row, refused, send } from '../../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const MIB = 1024 * 1024;
const HASH = 'f'.repeat(64);

/** Everything that can be wrong with a request, in the order of the checks. See docs/credentials.md#order-of-checks. */
const DEFECTS = [
  'path',
  'method',
  'authentication',
  'permission',
  'size',
  'type',
  'shape',
  'existence',
] as const;
type Defect = (typeof DEFECTS)[number];

const ANSWERS: Readonly<Record<Defect, readonly [status: number, reason: string]>> = {
  path: [404, 'unknown_path'],
  method: [405, 'method_not_allowed'],
  authentication: [401, 'missing_authentication'],
  permission: [403, 'permission_denied'],
  size: [413, 'body_too_large'],
  type: [415, 'unsupported_media_type'],
  shape: [400, 'invalid_request'],
  existence: [404, 'not_found'],
};

/** A PATCH of a key with exactly these defects. */
function patchWith(defects: ReadonlySet<Defect>): Promise<Answer> {
  const path = defects.has('path') ? '/kyes' : '/keys';
  const hash = defects.has('existence') ? HASH : gateway.apiKeyHash;
  const secret = defects.has('permission') ? gateway.apiKey : gateway.managementKey;
  const name = defects.has('size') ? 'x'.repeat(MIB) : 'n';
  return send(`${gateway.rest}${path}/${hash}`, defects.has('method') ? 'PUT' : 'PATCH', {
    headers: {
      ...(defects.has('authentication') ? {} : { authorization: `Bearer ${secret}` }),
      'content-type': defects.has('type') ? 'text/plain' : 'application/json',
    },
    body: defects.has('shape') ? `{"name": ${name}` : JSON.stringify({ name }),
  });
}

describe('the first defect in the order of checks is reported', () => {
  it.each(DEFECTS.map((defect, index) => [defect, DEFECTS.slice(index)] as const))(
    '%s before %j',
    async (first, all) => {
      const [status, reason] = ANSWERS[first];
      const answer = await refused(gateway, () => patchWith(new Set(all)));
      expect(answer.slice(0, 2)).toEqual([status, reason]);
      const single = await refused(gateway, () => patchWith(new Set([first])));
      expect(single.slice(0, 2)).toEqual([status, reason]);
    },
  );

  it.each(
    DEFECTS.flatMap((first, index) => DEFECTS.slice(index + 1).map((second) => [first, second] as const)),
  )('%s before %s', async (first, second) => {
    const answer = await patchWith(new Set([first, second]));
    expect((bodyOf(answer).error as Row).code).toBe(ANSWERS[first][0]);
  });
});

describe('unknown paths and wrong methods, with any credential', () => {
  const WITH = [{}, { authorization: 'Bearer nonsense' }, { authorization: 'Basic x' }];

  it.each([
    '/api/v1',
    '/api/v1/',
    '/api/v1/key/',
    '/api/v1/keys/',
    '/api/v1/Keys',
    '/api/v2/keys',
    '/api/v1//keys',
    '/api/v1/keys/a/b',
    '/api/v1/models/a/b/c',
    '/api/v1/models/user/endpoints/x',
    '/keys',
    '/byway.v1.KeyService/Nonsense',
    '/byway.v1.KeyService',
    '/byway.v1.NoService/ListKeys',
    '/%ZZ',
  ])('%s is 404', async (path) => {
    for (const method of ['GET', 'POST', 'PATCH']) {
      for (const headers of WITH) {
        const call = () =>
          send(gateway.url + path, method, { headers, ...(method !== 'GET' && { body: '{broken' }) });
        expect(await refused(gateway, call)).toEqual([404, 'unknown_path']);
      }
    }
  });

  it.each([
    ['PUT', '/api/v1/keys', 'GET, HEAD, POST'],
    ['DELETE', '/api/v1/keys', 'GET, HEAD, POST'],
    ['POST', `/api/v1/keys/${HASH}`, 'GET, HEAD, PATCH, DELETE'],
    ['PUT', `/api/v1/byok/${HASH}`, 'GET, HEAD, PATCH, DELETE'],
    ['POST', '/api/v1/models/user', 'GET, HEAD'],
    ['POST', '/api/v1/models/test/m1/endpoints', 'GET, HEAD'],
    ['GET', '/api/v1/chat/completions', 'POST'],
    ['HEAD', '/api/v1/chat/completions', 'POST'],
    ['PATCH', '/api/v1/routing/explain', 'POST'],
    ['OPTIONS', '/api/v1/key', 'GET, HEAD'],
    ['PROPFIND', '/api/v1/keys', 'GET, HEAD, POST'],
    ['GET', '/api/v1/clients/x', 'DELETE'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/readyz', 'GET, HEAD'],
    ['GET', '/byway.v1.KeyService/CreateKey', 'POST'],
    ['PUT', '/byway.v1.KeyService/ListKeys', 'GET, HEAD, POST'],
    ['GET', '/byway.v1.BatchService/GetBatch', 'POST'],
    ['GET', '/byway.v1.BatchService/StreamBatchResults', 'POST'],
    ['GET', '/byway.v1.ChatService/StreamChatCompletion', 'POST'],
    ['DELETE', '/byway.v1.ByokService/CreateByokKey', 'POST'],
  ])('%s %s is 405 and allows %s', async (method, path, allow) => {
    for (const headers of WITH) {
      const answer = await send(gateway.url + path, method, { headers });
      const methods = String(answer.headers.allow).split(', ');
      expect([answer.status, methods.toSorted()]).toEqual([405, allow.split(', ').toSorted()]);
    }
  });
});

describe('over RPC', () => {
  const url = (method: string) => `${gateway.url}/byway.v1.${method}`;
  const call = (method: string, contentType: string, body: string | Buffer, secret?: string) =>
    send(url(method), 'POST', {
      headers: {
        'content-type': contentType,
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      },
      body,
    });

  it('a broken body without a credential is 401', async () => {
    for (const contentType of ['application/json', 'application/proto', 'text/plain']) {
      const answer = await call('KeyService/CreateKey', contentType, '{broken');
      expect([contentType, answer.status, bodyOf(answer).code]).toEqual([
        contentType,
        401,
        'unauthenticated',
      ]);
    }
  });

  it.each([
    'application/grpc',
    'application/grpc+proto',
    'application/grpc+json',
    'application/grpc-web',
    'application/grpc-web+proto',
  ])('a broken body without a credential is unauthenticated over %s', async (contentType) => {
    const answer = await call('KeyService/CreateKey', contentType, Buffer.from([0xff, 0xff, 0xff]));
    expect([answer.status, answer.headers['grpc-status']]).toEqual([200, '16']);
  });

  it('a broken stream without a credential ends with unauthenticated', async () => {
    const answer = await call('ChatService/StreamChatCompletion', 'application/connect+json', 'xx');
    expect(JSON.parse(answer.text.slice(5))).toMatchObject({ error: { code: 'unauthenticated' } });
  });

  it('then permission, then size, then content type, then shape, then existence', async () => {
    const { apiKey, managementKey } = gateway;
    const broken = await call('KeyService/GetKey', 'application/json', '{broken', apiKey);
    expect([broken.status, bodyOf(broken).code]).toEqual([403, 'permission_denied']);
    const huge = await call('KeyService/GetKey', 'text/plain', 'x'.repeat(MIB + 1), managementKey);
    expect(bodyOf(huge).code).toBe('resource_exhausted');
    const text = await call('KeyService/GetKey', 'text/plain', '{}', managementKey);
    expect([text.status, bodyOf(text)]).toMatchObject([
      415,
      { error: { code: 415, metadata: { reason: 'unsupported_media_type' } } },
    ]);
    const shape = await call('KeyService/UpdateKey', 'application/json', '{}', managementKey);
    expect([shape.status, bodyOf(shape).code]).toEqual([400, 'invalid_argument']);
    const unknown = await call('KeyService/GetKey', 'application/json', `{"hash":"${HASH}"}`, managementKey);
    expect([unknown.status, bodyOf(unknown).code]).toEqual([404, 'not_found']);
  });

  it('a refusal carries the error of REST in its detail', async () => {
    const nobody = await call('KeyService/ListKeys', 'application/json', '{}');
    expect(detailOf(nobody)).toMatchObject({ httpStatus: 401, reason: 'missing_authentication' });
    const broken = await call(
      'KeyService/CreateKey',
      'application/json',
      '{"name":""}',
      gateway.managementKey,
    );
    expect(detailOf(broken)).toMatchObject({
      httpStatus: 400,
      reason: 'invalid_request',
      violations: [{ field: 'name', rule: 'required' }],
      userId: gateway.ownerUserId,
    });
  });

  function detailOf(answer: Answer): unknown {
    const [detail] = bodyOf(answer).details as { type: string; debug: unknown }[];
    expect(detail?.type).toBe('byway.v1.ErrorDetail');
    return detail?.debug;
  }
});
