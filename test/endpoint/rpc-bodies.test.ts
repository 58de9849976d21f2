import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpDatabase } from '../support/dump.js';
import { launchGateway } from '../support/gateway.js';
import { bodyOf, type Row, send } from '../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway();
});
afterAll(() => gateway.stop());

const CANARY = 'canaryQ7-0123456789';
const call = (body: string | Buffer, contentType = 'application/json') =>
  send(`${gateway.url}/byway.v1.ByokService/CreateByokKey`, 'POST', {
    headers: { authorization: `Bearer ${gateway.managementKey}`, 'content-type': contentType },
    body,
  });

/** One message in the framing of gRPC and of Connect streams. */
function enveloped(text: string): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([prefix, Buffer.from(text)]);
}

const BROKEN: readonly [body: string, field: string, rule: string][] = [
  [`{"provider":"a","key":${CANARY}}`, '', 'json'],
  [CANARY, '', 'json'],
  [`{"key":"${CANARY}"`, '', 'json'],
  [`["${CANARY}"]`, '', 'json'],
  [`{"provider":"a","key":"${CANARY}","disabled":"${CANARY}"}`, 'disabled', 'type'],
  [`{"provider":"a","key":{"api_key":"${CANARY}"}}`, 'key', 'type'],
];

describe('a body that an RPC cannot read (interface sections 2, 3 and 9)', () => {
  it.each(BROKEN)(
    'Connect: %s is 400 with its detail, repeating nothing of it',
    async (body, field, rule) => {
      const before = await dumpDatabase(gateway.gateway.database);
      const answer = await call(body);
      expect(await dumpDatabase(gateway.gateway.database)).toBe(before);
      expect([answer.status, bodyOf(answer).code]).toEqual([400, 'invalid_argument']);
      expect(answer.text).not.toContain('canary');
      const [detail] = bodyOf(answer).details as { debug: Row }[];
      expect(detail?.debug).toMatchObject({
        httpStatus: 400,
        reason: 'invalid_request',
        violations: [field === '' ? { rule } : { field, rule }],
      });
    },
  );

  it.each(BROKEN)('gRPC with JSON: %s is invalid_argument, repeating nothing of it', async (body) => {
    const answer = await call(enveloped(body), 'application/grpc-web+json');
    expect(answer.text).toContain('grpc-status: 3');
    expect(JSON.stringify(answer)).not.toContain('canary');
  });

  it('nothing of it is logged either', () => {
    expect(gateway.log.join('\n')).not.toContain('canary');
  });

  it('unknown members are ignored, as usual in proto JSON (interface section 9)', async () => {
    const answer = await call('{"provider":"a","key":"demo-echo-0123456789","nonsense":1}');
    expect([answer.status, (bodyOf(answer).data as Row).provider]).toEqual([200, 'a']);
  });
});
