import { hasOption } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { http } from '../../gen/google/api/annotations_pb.js';
import { batchCatalog } from '../batch/world.js';
import { embeddingModel, rerankModel, scriptedCatalog } from '../support/catalog.js';
import { type FakeGoogle, startFakeGoogle } from '../support/fakes/fake-google-storage.js';
import { launchGateway } from '../support/gateway.js';
import { clientNames } from './matrix/byway-call.js';
import type { Case } from './matrix/case.js';
import { CASES } from './matrix/cases/index.js';
import { TRANSPORTS, type TransportClient } from './matrix/client.js';
import { normal } from './matrix/normal.js';
import type { Outcome } from './matrix/outcome.js';
import { World } from './matrix/world.js';

let google: FakeGoogle;
let gateway: Awaited<ReturnType<typeof launchGateway>>;
let transports: ReadonlyMap<string, TransportClient>;
const first = new Map<Case, Promise<Outcome>>();

beforeAll(async () => {
  google = await startFakeGoogle();
  google.jobs.plan = { looks: 1 };
  const { providers, models } = scriptedCatalog();
  const batches = batchCatalog(google.origin);
  gateway = await launchGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [...providers, ...batches.providers.slice(0, 1)],
      models: [
        ...models,
        embeddingModel('test/embed', ['a']),
        rerankModel('test/rerank', ['a']),
        ...batches.models.slice(0, 1),
      ],
    },
  });
  transports = new Map(Object.entries(TRANSPORTS).map(([name, { open }]) => [name, open(gateway)]));
});

afterAll(async () => {
  for (const transport of transports.values()) transport.close?.();
  await gateway.stop();
  await google.stop();
});

describe.each(Object.entries(TRANSPORTS))('through %s', (name, { kind }) => {
  it.each(CASES.filter(({ kinds }) => kinds.includes(kind)))('$name', async (one) => {
    const outcome = await run(one, name);
    if (one.failure === undefined) expect(outcome.failure).toBeNull();
    else expect(outcome.failure).toMatchObject(one.failure);
    if (one.answer !== undefined) expect(outcome.messages.at(-1)).toMatchObject(one.answer);
    expect(outcome).toEqual(await atFirstTransport(one));
  });
});

describe('the matrix', () => {
  it('has a case that is answered for every operation of the contract, so that no transport lacks one', () => {
    const answered = new Set(CASES.filter(({ answer }) => answer !== undefined).map(({ method }) => method));
    expect(
      annotated()
        .filter((method) => !answered.has(method))
        .map(String),
    ).toEqual([]);
  });

  it('the typed client calls every operation of the contract', () => {
    const called = clientNames();
    expect(
      annotated()
        .filter((method) => !called.has(method))
        .map(String),
    ).toEqual([]);
  });

  function annotated() {
    const methods = gateway.gateway.services.flatMap(({ service }) => service.methods);
    return methods.filter((method) => hasOption(method, http));
  }
});

async function run({ method, secret, message, credits }: Case, name: string): Promise<Outcome> {
  const transport = transports.get(name);
  if (transport === undefined) throw new Error(`no transport ${name}`);
  const world = await World.begin(gateway, google, credits);
  const caller = await secret(world);
  return normal(await transport.call(method, await message(world), caller));
}

function atFirstTransport(one: Case): Promise<Outcome> {
  const [name] = Object.entries(TRANSPORTS).find(([, { kind }]) => one.kinds.includes(kind)) ?? [''];
  const outcome = first.get(one) ?? run(one, name);
  first.set(one, outcome);
  return outcome;
}
