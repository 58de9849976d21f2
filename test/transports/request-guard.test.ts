import { Buffer } from 'node:buffer';
import { create, type DescMethod, hasOption } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api, Role } from '../../gen/byway/options/v1/options_pb.js';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { http } from '../../gen/google/api/annotations_pb.js';
import { ruleOf } from '../../src/protobuf/method-rule.js';
import { launchGateway } from '../support/gateway.js';
import { TRANSPORTS, type TransportClient } from './matrix/client.js';
import type { Failure } from './matrix/outcome.js';
import { World } from './matrix/world.js';

const OUTER = Object.entries(TRANSPORTS).filter(([, { kind }]) => kind !== 'in_process');

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let methods: readonly DescMethod[];
let secrets: Readonly<Record<'disabled' | 'expired', string>>;
let secretOf: ReadonlyMap<Role, string>;

beforeAll(async () => {
  gateway = await launchGateway();
  const described = gateway.gateway.services.flatMap(({ service }) => service.methods);
  methods = described.filter((method) => hasOption(method, http));
  const world = await World.begin(gateway, null);
  const { apiKey, managementKey } = world.account;
  const client = await world.addClient();
  secretOf = new Map([
    [Role.API_KEY, apiKey],
    [Role.MANAGEMENT_KEY, managementKey],
    [Role.CLIENT_SECRET, client.secret],
    [Role.OPERATOR_KEY, gateway.operatorKey],
  ]);
  secrets = { disabled: await disabledKey(world), expired: await expiredKey(world) };
});

afterAll(() => gateway.stop());

describe.each(OUTER)('the request guard before %s', (_, { open }) => {
  let transport: TransportClient;

  beforeAll(() => {
    transport = open(gateway);
  });

  afterAll(() => transport.close?.());

  it('requires a credential wherever one is needed', async () => {
    const closed = methods.filter((method) => !rolesOf(method).includes(Role.ANONYMOUS));
    await refuses(closed, null, { ...UNAUTHENTICATED, message: 'Missing Authentication header' });
  });

  it('refuses an invalid credential, also where none is needed', async () => {
    const message = 'Invalid API key';
    await refuses(methods, `bw-v1-${'0'.repeat(64)}`, { ...UNAUTHENTICATED, message });
    await refuses(methods, 'nonsense', { ...UNAUTHENTICATED, message });
    await refuses(methods, secrets.disabled, { ...UNAUTHENTICATED, message: 'API key is disabled' });
    await refuses(methods, secrets.expired, { ...UNAUTHENTICATED, message: 'API key has expired' });
  });

  it.each([Role.API_KEY, Role.MANAGEMENT_KEY, Role.CLIENT_SECRET, Role.OPERATOR_KEY])(
    'lets role %i call what it may alone',
    async (role) => {
      const closed = methods.filter((method) => !admits(rolesOf(method), role));
      expect(closed).not.toHaveLength(0);
      const forManagers = closed.filter((method) => rolesOf(method).includes(Role.MANAGEMENT_KEY));
      const others = closed.filter((method) => !forManagers.includes(method));
      const secret = secretOf.get(role) ?? null;
      // An operator is no user of any account.
      const forbidden = { ...FORBIDDEN, ...(role === Role.OPERATOR_KEY && { userId: null }) };
      await refuses(forManagers, secret, {
        ...forbidden,
        message: 'Only management keys can perform this operation',
      });
      await refuses(others, secret, { ...forbidden, message: 'Only API keys can perform this operation' });
    },
  );

  it('accepts at most 1 MiB for administration, from any caller', async () => {
    const { createKey } = KeyService.method;
    const large = create(createKey.input, { name: 'x'.repeat(2 * 1024 * 1024) });
    const secret = secretOf.get(Role.MANAGEMENT_KEY) ?? null;
    const { failure } = await transport.call(createKey, large, secret);
    expect(failure).toMatchObject({ status: 413, reason: 'body_too_large' });
    expect((await transport.call(createKey, large, null)).failure).toMatchObject(UNAUTHENTICATED);
  });

  async function refuses(some: readonly DescMethod[], secret: string | null, expected: Partial<Failure>) {
    for (const method of some) {
      const { failure, messages } = await transport.call(method, create(method.input), secret);
      const { userId, ...others } = expected;
      // The errors of these APIs, which REST answers with here, name no user.
      const isUserless = USERLESS.has(ruleOf(method).api);
      expect({ method: method.name, failure, messages }).toMatchObject({
        method: method.name,
        failure: isUserless ? others : expected,
        messages: [],
      });
    }
  }
});

describe('a content type that no transport has', () => {
  const rpc = () => `${gateway.url}/byway.v1.KeyService/CreateKey`;
  const rest = () => `${gateway.rest}/keys`;

  it.each([
    ['REST', rest, 'text/plain'],
    ['REST', rest, 'application/x-www-form-urlencoded'],
    ['REST', rest, 'application/proto'],
    ['an RPC', rpc, 'text/plain'],
    ['an RPC', rpc, 'application/xml'],
  ])('is refused with 415: %s, %o', async (_, url, type) => {
    const authorization = `Bearer ${gateway.managementKey}`;
    const body = Buffer.from('{"name":"x"}');
    const answer = await fetch(url(), {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body,
    });
    expect(JSON.stringify(await answer.json())).toContain('Content-Type must be');
    const anonymous = await fetch(url(), { method: 'POST', headers: { 'content-type': type }, body });
    expect([answer.status, anonymous.status]).toEqual([415, 401]);
  });
});

const USERLESS: ReadonlySet<Api> = new Set([Api.MESSAGES, Api.RESPONSES]);

const UNAUTHENTICATED = { status: 401, violations: [], userId: null };
const FORBIDDEN = { status: 403, reason: 'permission_denied', violations: [], userId: expect.any(String) };

function rolesOf(method: DescMethod): readonly Role[] {
  return ruleOf(method).roles;
}

function admits(roles: readonly Role[], role: Role): boolean {
  return roles.includes(Role.ANONYMOUS) || roles.includes(role);
}

async function disabledKey(world: World): Promise<string> {
  const { hash, secret } = await world.addKey();
  await world.byway.keys.update({ key: { hash, disabled: true } }, await world.as());
  return secret;
}

async function expiredKey(world: World): Promise<string> {
  const expiresAt = Date.now() + 100;
  const { secret } = await world.addKey({ expiresAt: new Date(expiresAt).toISOString() });
  while (Date.now() <= expiresAt) await new Promise((resolve) => setTimeout(resolve, 5));
  return secret;
}
