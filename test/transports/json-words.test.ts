import { gzipSync } from 'node:zlib';
import type { JsonObject } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../support/gateway.js';
import { callRaw, enveloped } from '../support/raw-rpc.js';
import { type Call, caller, recordOf } from '../support/rest.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let manage: Call;

beforeAll(async () => {
  gateway = await launchGateway();
  manage = caller(gateway, gateway.managementKey);
});
afterAll(() => gateway.stop());

function rpc(
  method: string,
  contentType: string,
  json: object,
  { key = gateway.managementKey, gzip = false } = {},
) {
  const bytes = Buffer.from(JSON.stringify(json));
  const content = gzip ? gzipSync(bytes) : bytes;
  const isBare = contentType === 'application/json';
  const encoding = isBare
    ? 'content-encoding'
    : contentType.includes('grpc')
      ? 'grpc-encoding'
      : 'connect-content-encoding';
  return callRaw({
    url: `${gateway.url}/byway.v1.${method}`,
    contentType,
    body: isBare ? content : enveloped(content, gzip ? 1 : 0),
    headers: { authorization: `Bearer ${key}`, ...(gzip && { [encoding]: 'gzip' }) },
  });
}

const UNARY = ['application/json', 'application/grpc+json', 'application/grpc-web+json'];
const STREAMS = ['application/connect+json', 'application/grpc+json', 'application/grpc-web+json'];

describe.each(UNARY)('JSON of a unary call (%s)', (type) => {
  it.each([
    ["REST's", 'deny', 'weekly'],
    ["the proto file's", 'DATA_COLLECTION_DENY', 'LIMIT_RESET_WEEKLY'],
  ])('accepts %s words for enums', async (_, dataCollection, resetInterval) => {
    const { message, error } = await rpc('GuardrailService/CreateGuardrail', type, {
      name: 'Careful',
      dataCollection,
      resetInterval,
    });
    expect(error).toBeNull();
    const { data } = JSON.parse(String(message)) as { data: JsonObject };
    expect(recordOf(await manage('GET', `/guardrails/${data.id}`))).toMatchObject({
      data_collection: 'deny',
      reset_interval: 'weekly',
    });
  });

  it('refuses any other with the field and the words that there are, and writes nothing', async () => {
    const { id } = recordOf(
      await manage('POST', '/guardrails', { name: 'Weekly', reset_interval: 'weekly' }),
    );
    const guardrail = { id, name: 'Changed', resetInterval: 'hourly', dataCollection: 'denied' };
    const { detail } = await rpc('GuardrailService/UpdateGuardrail', type, { guardrail });
    expect(detail).toMatchObject({
      httpStatus: 400,
      reason: 'invalid_request',
      violations: [
        { field: 'reset_interval', rule: 'enum', message: 'must be one of daily, weekly, monthly' },
        { field: 'data_collection', rule: 'enum', message: 'must be one of allow, deny' },
      ],
    });
    expect(recordOf(await manage('GET', `/guardrails/${id}`))).toMatchObject({
      name: 'Weekly',
      reset_interval: 'weekly',
      data_collection: null,
    });
  });

  it('still ignores unknown members', async () => {
    const { error } = await rpc('GuardrailService/CreateGuardrail', type, { name: 'n', colour: 'weekly' });
    expect(error).toBeNull();
  });
});

describe.each(STREAMS)('JSON of a stream (%s)', (type) => {
  const method = 'ChatService/StreamChatCompletion';
  const chatWith = (provider: object) => ({
    chat: { model: 'test/m1', messages: [{ role: 'user', content: { text: 'Hi' } }], provider },
  });

  it.each([false, true])("accepts REST's words for enums (compressed: %s)", async (gzip) => {
    const chat = chatWith({ dataCollection: 'allow', sort: 'price' });
    const { error, message } = await rpc(method, type, chat, { key: gateway.apiKey, gzip });
    expect(error).toBeNull();
    expect(String(message)).toContain('test/m1');
  });

  it.each([false, true])('refuses any other (compressed: %s)', async (gzip) => {
    const { detail } = await rpc(method, type, chatWith({ sort: 'cheap' }), { key: gateway.apiKey, gzip });
    expect(detail?.violations).toMatchObject([
      { field: 'provider.sort', rule: 'enum', message: 'must be one of price, throughput, latency' },
    ]);
  });
});

it('the words of a large batch are read and refused as those of any other', async () => {
  const content = 'x'.repeat(1024 * 1024);
  const requests = (sort: string) =>
    Array.from({ length: 5 }, (_, index) => ({
      customId: `r${index}`,
      body: { messages: [{ role: 'user', content: { text: content } }], provider: { sort } },
    }));
  const violationsOf = async (sort: string) => {
    const body = { model: 'test/m1', requests: requests(sort) };
    const { detail } = await rpc('BatchService/CreateBatch', 'application/json', body);
    return detail?.violations.map(({ field, rule }) => `${field} ${rule}`);
  };
  expect(await violationsOf('cheap')).toEqual(
    [0, 1, 2, 3, 4].map((index) => `requests[${index}].body.provider.sort enum`),
  );
  expect(await violationsOf('price')).not.toContain('requests[0].body.provider.sort enum');
});
