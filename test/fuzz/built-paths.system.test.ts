import { expect, it, onTestFinished } from 'vitest';
import { startServerProcess } from '../support/server-process.js';

it.each(['%', '%ZZ', '%2', '%E0%A4%A', 'a%FFb', '%C3%28'])(
  'the built program answers a path with the broken escape %s as an unknown one, with envelope and id',
  async (part) => {
    const server = await startServerProcess();
    onTestFinished(async () => void (await server.stop()));
    for (const authorization of [undefined, `Bearer ${server.managementKey}`]) {
      for (const method of ['GET', 'DELETE', 'POST']) {
        const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/nowhere/${part}`, {
          method,
          ...(authorization !== undefined && { headers: { authorization } }),
        });
        expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 404 } }]);
        expect(answer.headers.get('x-request-id')).toBeTruthy();
      }
      const key = await fetch(`http://127.0.0.1:${server.port}/api/v1/keys/${part}`, {
        ...(authorization !== undefined && { headers: { authorization } }),
      });
      expect([key.status, await key.json()]).toMatchObject(
        authorization === undefined ? [401, { error: { code: 401 } }] : [404, { error: { code: 404 } }],
      );
    }
  },
  60_000,
);
