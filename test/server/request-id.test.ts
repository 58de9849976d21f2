import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import { requestId } from '../../src/server/port/request-id.js';
import { connectHttp2, type Running, request, start, stream } from './support.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('every response carries X-Request-Id, echoed when sent and sane', () => {
  let server: Running;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.app.close());

  test.each(['/version', '/nowhere', '/fails', '/trailers', '/%zz', '/%ff?x=%zz', '//', '/a/../b'])(
    '%s',
    async (path) => {
      const session = connectHttp2(`http://127.0.0.1:${server.port}`);
      for (const headers of [{}, { 'x-request-id': 'mine:1.2_3-4' }]) {
        const expected = 'x-request-id' in headers ? /^mine:1\.2_3-4$/ : UUID;
        expect((await request(server.port, path, { headers })).headers['x-request-id']).toMatch(expected);
        expect((await stream(session, { ':path': path, ...headers })).headers['x-request-id']).toMatch(
          expected,
        );
      }
      session.destroy();
    },
  );

  test.each(['', ' ', 'a b', 'a,b', 'é', 'x'.repeat(129), '<script>'])('%j is not echoed', async (sent) => {
    const headers = { 'x-request-id': Buffer.from(sent).toString('latin1') };
    expect((await request(server.port, '/version', { headers })).headers['x-request-id']).toMatch(UUID);
  });

  test('several are not echoed, 128 characters are', async () => {
    const several = { 'x-request-id': ['a', 'b'] };
    expect((await request(server.port, '/version', { headers: several })).headers['x-request-id']).toMatch(
      UUID,
    );
    const maxLength = 'x'.repeat(128);
    const headers = { 'x-request-id': maxLength };
    expect((await request(server.port, '/version', { headers })).headers['x-request-id']).toBe(maxLength);
  });

  test('a second call gets the same', () => {
    const headers = {};
    expect(requestId(headers, systemIds)).toBe(requestId(headers, systemIds));
  });

  test('an undecodable path goes where unknown paths go', async () => {
    const [bad, unknown] = [await request(server.port, '/%zz'), await request(server.port, '/zz')];
    expect(bad.status).toBe(404);
    expect(JSON.parse(bad.body).error).toBe(JSON.parse(unknown.body).error);
  });
});
