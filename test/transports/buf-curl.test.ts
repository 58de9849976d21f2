import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchGateway } from '../support/gateway.js';

const BUF = 'node_modules/.bin/buf';

let gateway: Awaited<ReturnType<typeof launchGateway>>;

beforeAll(async () => {
  gateway = await launchGateway();
});

afterAll(() => gateway.stop());

describe('buf curl, which knows the schema by reflection alone', () => {
  it('lists every service, with health checking and reflection', async () => {
    const listed = (await bufCurl('', '--list-services')).trim().split('\n').sort();
    const own = gateway.gateway.services.map(({ service }) => service.typeName);
    const ofGrpc = [
      'health.v1.Health',
      'reflection.v1.ServerReflection',
      'reflection.v1alpha.ServerReflection',
    ];
    expect(listed).toEqual([...own, ...ofGrpc.map((name) => `grpc.${name}`)].sort());
  });

  it('lists every method', async () => {
    const listed = (await bufCurl('', '--list-methods')).trim().split('\n');
    const own = gateway.gateway.services.flatMap(({ service }) =>
      service.methods.map(({ name }) => `${service.typeName}/${name}`),
    );
    expect(listed.filter((name) => name.startsWith('byway.'))).toEqual(expect.arrayContaining(own));
    expect(listed.filter((name) => name.startsWith('byway.'))).toHaveLength(own.length);
  });

  it.each(['grpc', 'grpcweb', 'connect'])('calls methods over %s, unary and streamed', async (protocol) => {
    const created = await bufCurl(
      '/byway.v1.KeyService/CreateKey',
      ...['--protocol', protocol, '--header', `Authorization: Bearer ${gateway.managementKey}`],
      ...['--data', '{"name": "From buf", "limit": 2.5, "limitReset": "LIMIT_RESET_DAILY"}'],
    );
    expect(JSON.parse(created)).toMatchObject({
      data: { name: 'From buf', limit: 2.5, limitRemaining: 2.5 },
    });
    const chat = { model: 'test/m1', messages: [{ role: 'user', content: { text: 'Hi' } }] };
    const streamed = await bufCurl(
      '/byway.v1.ChatService/StreamChatCompletion',
      ...['--protocol', protocol, '--header', `Authorization: Bearer ${gateway.apiKey}`],
      ...['--data', JSON.stringify({ chat })],
    );
    expect(streamed).toContain('"finishReason": "stop"');
  });

  it.each(['grpc', 'connect'])('shows errors over %s with their detail', async (protocol) => {
    const refused = bufCurl('/byway.v1.KeyService/ListKeys', '--protocol', protocol);
    await expect(refused).rejects.toMatchObject({
      stderr: expect.stringMatching(/"code": "unauthenticated"[\s\S]*Missing Authentication header/),
    });
  });

  async function bufCurl(path: string, ...options: readonly string[]): Promise<string> {
    const all = ['curl', '--http2-prior-knowledge', ...options, gateway.url + path];
    const { stdout } = await promisify(execFile)(BUF, all);
    return stdout;
  }
});
