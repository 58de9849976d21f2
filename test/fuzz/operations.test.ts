import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from '../../gen/byway/options/v1/options_pb.js';
import type { Gateway } from '../../src/compose/gateway.js';
import { compileOperations } from '../../src/rest/compile.js';
import { dumpDatabase } from '../support/dump.js';
import { launchGateway } from '../support/gateway.js';
import { type KnownNames, requestTo } from './arbitraries.js';

/** Requests per operation. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 20);

interface Created {
  readonly data: { readonly id: string };
  readonly client_secret?: string;
}

type Running = Awaited<ReturnType<typeof launchGateway>>;

let running: Running;
let known: KnownNames;

beforeAll(async () => {
  running = await launchGateway();
  const { rest, managementKey, apiKey, apiKeyHash, workspaceId, ownerUserId } = running;
  const post = async (path: string, body: object): Promise<Created> => {
    const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' };
    const answer = await fetch(rest + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Created;
  };
  const client = await post('/clients', { name: 'Fuzz' });
  const byok = await post('/byok', { provider: 'a', key: 'demo-echo-0123456789abcdef' });
  known = {
    texts: [
      apiKeyHash,
      workspaceId,
      ownerUserId,
      byok.data.id,
      client.data.id,
      'test/m1',
      'test',
      'm1',
      'a',
      'demo',
      'user',
    ],
    credentials: [managementKey, apiKey, client.client_secret].map((secret) => `Bearer ${secret}`),
  };
});

afterAll(() => running.stop());

/** Chats that fail are recorded. */
function tablesOf({ database }: Gateway): Promise<string> {
  return dumpDatabase(database, ['generation']);
}

describe('any request', () => {
  it('is never answered with 5xx; a refusal is an envelope and writes nothing, for every operation', async () => {
    const { gateway, rest } = running;
    const operations = compileOperations(gateway.services.map(({ service }) => service));
    let successCount = 0;
    let before = await tablesOf(gateway);
    for (const operation of operations) {
      await fc.assert(
        fc.asyncProperty(requestTo(operation, known), async ({ method, path, headers, body }) => {
          const answer = await fetch(rest + path, {
            method,
            headers,
            ...(body === undefined ? {} : { body }),
          });
          const text = await answer.text();
          expect(answer.status).toBeLessThan(500);
          if (answer.status < 400) {
            successCount += 1;
            before = await tablesOf(gateway);
            return;
          }
          const isAnthropics = operation.rule.api === Api.MESSAGES;
          const hasWord = operation.rule.api === Api.RESPONSES;
          const code = hasWord ? expect.any(String) : answer.status;
          expect(JSON.parse(text)).toMatchObject({
            ...(isAnthropics && { type: 'error' }),
            error: {
              ...(isAnthropics ? { type: expect.any(String) } : { code }),
              message: expect.any(String),
              metadata: { reason: expect.any(String) },
            },
          });
          expect(await tablesOf(gateway)).toBe(before);
        }),
        { numRuns: RUNS },
      );
    }
    // Enough requests get past the first checks.
    expect(successCount).toBeGreaterThan((operations.length * RUNS) / 60);
  }, 300_000);
});
