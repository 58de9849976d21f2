/** A gateway with all kinds of providers, each played by its fake, and a key of the account for each. */
import { expect } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { setSharedCredential } from '../../src/byok/keys/operator-credential.js';
import { createVault } from '../../src/byok/vault/vault.js';
import type { AdapterName } from '../../src/catalog/types.js';
import { demoModel } from './catalog.js';
import {
  FAKE_API_KEY as ANTHROPIC_KEY,
  type FakeAnthropic,
  startFakeAnthropic,
} from './fakes/fake-anthropic.js';
import { FAKE_AZURE_KEY, type FakeAzure, startFakeAzure } from './fakes/fake-azure.js';
import { type FakeBedrock, serveFakeBedrock } from './fakes/fake-bedrock/serve.js';
import { FAKE_API_KEY as BEDROCK_KEY, FAKE_ACCESS_KEY, FAKE_REGION } from './fakes/fake-bedrock.js';
import { type FakeOpenAi, FAKE_API_KEY as OPENAI_KEY, startFakeOpenAi } from './fakes/fake-openai.js';
import { type FakeVertex, startFakeVertex } from './fakes/fake-vertex.js';
import { launchGateway, type TestGateway } from './gateway.js';
import { type Answer, type Call, caller, recordOf } from './rest.js';

export interface Fakes {
  readonly openai: FakeOpenAi;
  readonly anthropic: FakeAnthropic;
  readonly azure: FakeAzure;
  readonly bedrock: FakeBedrock;
  readonly vertex: FakeVertex;
}

/** A kind of provider, of credential and of model, which together have a code path of their own in an adapter. */
export interface Platform {
  /** Its provider; models are below it. */
  readonly slug: string;
  readonly adapter: AdapterName;
  readonly fake: keyof Fakes;
  readonly baseUrl: (fakes: Fakes) => string | null;
  /** The prefix of its models' ids at the provider. */
  readonly family: string;
  /** The credential that its fake accepts, for models by their ids in the catalogue and at the provider. */
  readonly credential: (fakes: Fakes, models: readonly (readonly [string, string])[]) => unknown;
}

const RESOURCE = { api_key: FAKE_AZURE_KEY, resource_name: 'my-resource' };

const AZURE = { adapter: 'azure', fake: 'azure', family: 'gpt-' } as const;
const BEDROCK = {
  adapter: 'amazon-bedrock',
  fake: 'bedrock',
  family: 'anthropic.claude-3-haiku-',
  baseUrl: ({ bedrock }: Fakes) => bedrock.baseUrl,
} as const;
const VERTEX = {
  adapter: 'google-vertex',
  fake: 'vertex',
  baseUrl: ({ vertex }: Fakes) => vertex.origin,
  credential: ({ vertex }: Fakes) => vertex.serviceAccount(),
} as const;

export const PLATFORMS: readonly Platform[] = [
  {
    slug: 'openai',
    adapter: 'openai',
    fake: 'openai',
    family: 'gpt-',
    baseUrl: ({ openai }) => openai.baseUrl,
    credential: () => OPENAI_KEY,
  },
  {
    slug: 'anthropic',
    adapter: 'anthropic',
    fake: 'anthropic',
    family: 'claude-3-haiku-',
    baseUrl: ({ anthropic }) => anthropic.baseUrl,
    credential: () => ANTHROPIC_KEY,
  },
  {
    ...AZURE,
    slug: 'azure-catalog',
    baseUrl: ({ azure }) => azure.baseUrl,
    credential: () => [{ ...RESOURCE, resource_type: 'catalog' }],
  },
  { ...AZURE, slug: 'azure-deployment', baseUrl: ({ azure }) => azure.baseUrl, credential: () => [RESOURCE] },
  {
    ...AZURE,
    slug: 'azure-legacy',
    baseUrl: () => null,
    credential: ({ azure }, models) =>
      models.map(([model_slug, model_id]) => ({
        model_slug,
        model_id,
        api_key: FAKE_AZURE_KEY,
        endpoint_url: `${azure.baseUrl}/openai/deployments/${model_id}/chat/completions?api-version=2024-10-21`,
      })),
  },
  {
    slug: 'foundry-claude',
    adapter: 'azure',
    fake: 'anthropic',
    family: 'claude-3-haiku-',
    baseUrl: ({ anthropic }) => anthropic.origin,
    credential: () => [{ ...RESOURCE, api_key: ANTHROPIC_KEY, resource_type: 'catalog' }],
  },
  { ...BEDROCK, slug: 'bedrock-key', credential: () => BEDROCK_KEY },
  { ...BEDROCK, slug: 'bedrock-signed', credential: () => ({ ...FAKE_ACCESS_KEY, region: FAKE_REGION }) },
  { ...VERTEX, slug: 'vertex-gemini', family: 'gemini-2.5-flash-' },
  { ...VERTEX, slug: 'vertex-claude', family: 'claude-3-haiku-' },
  { ...VERTEX, slug: 'vertex-open', family: 'meta/llama-' },
];

/** A model that every platform has, or those that `for` selects. */
export interface PlatformModel {
  /** Its name below the platform's slug. */
  readonly name: string;
  /** Its id at the provider, where that matters. */
  readonly upstreamId?: (platform: Platform) => string | undefined;
  /** The fake's plans for its requests. */
  readonly plan?: (platform: Platform) => object;
  /** Members of its endpoint in the catalogue. */
  readonly endpoint?: (platform: Platform) => object;
  /** Members of the model in the catalogue. */
  readonly overrides?: (platform: Platform) => object;
}

/** The gateway and its providers. */
export interface PlatformsGateway extends TestGateway {
  readonly fakes: Fakes;
  readonly manage: Call;
  readonly use: Call;
  /** Ids of the stored keys by their platform's slug; none over shared capacity. */
  readonly keyIds: ReadonlyMap<string, string>;
  /** The last bodies that the platform's fake received, the latest first. */
  received(platform: Platform): readonly unknown[];
  /** Sets the plans for further requests of this model. */
  plan(platform: Platform, name: string, plan: object): void;
  /** Stops the fakes; their ports are closed. */
  stopFakes(): Promise<void>;
  stop(): Promise<void>;
}

/** The model's id at the platform's provider; unique over all platforms. */
function upstreamIdOf(platform: Platform, { name, upstreamId }: PlatformModel): string {
  return upstreamId?.(platform) ?? `${platform.family}${platform.slug}-${name}`;
}

/** Starts everything, with keys of the account or over shared capacity; the caller stops it. */
export async function launchPlatforms(
  models: readonly PlatformModel[],
  capacity: 'byok' | 'shared' = 'byok',
): Promise<PlatformsGateway> {
  const ends: (() => Promise<void>)[] = [];
  const named = (platform: Platform) =>
    models.map((model) => [model, upstreamIdOf(platform, model)] as const);
  const deployments = PLATFORMS.filter(({ fake }) => fake === 'azure').flatMap(named);
  const fakes = await startFakes(
    deployments.map(([, id]) => id),
    (end) => void ends.push(end),
  );
  const gateway = await launchGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0' },
    catalog: {
      providers: PLATFORMS.map(({ slug, adapter, baseUrl }) => ({
        slug,
        adapter,
        name: `Provider ${slug}`,
        ...(baseUrl(fakes) !== null && { base_url: baseUrl(fakes) }),
      })),
      models: PLATFORMS.flatMap((platform) =>
        named(platform).map(([model, upstream_model_id]) =>
          demoModel(
            `${platform.slug}/${model.name}`,
            [{ provider: platform.slug, upstream_model_id, ...model.endpoint?.(platform) }],
            model.overrides?.(platform),
          ),
        ),
      ),
    },
  });
  const plan = (platform: Platform, upstreamId: string, planned: object) =>
    fakes[platform.fake].plan(upstreamId, planned);
  for (const platform of PLATFORMS) {
    for (const [model, id] of named(platform)) plan(platform, id, model.plan?.(platform) ?? {});
  }
  const stopFakes = async () => void (await Promise.all(ends.splice(0).map((end) => end())));
  const manage = caller(gateway, gateway.managementKey);
  const keyIds = new Map<string, string>();
  for (const platform of PLATFORMS) {
    const ids = named(platform).map(([{ name }, id]) => [`${platform.slug}/${name}`, id] as const);
    const key = platform.credential(fakes, ids);
    if (capacity === 'shared') await share(gateway, platform, key);
    else {
      const stored = await manage('POST', '/byok', { provider: platform.slug, key });
      keyIds.set(platform.slug, String(recordOf(stored).id));
    }
  }
  return {
    ...gateway,
    fakes,
    manage,
    keyIds,
    use: caller(gateway, gateway.apiKey),
    received: ({ fake }) => fakes[fake].requests.map(({ body }) => body).toReversed(),
    plan(platform, name, planned) {
      const known = named(platform).find(([model]) => model.name === name);
      plan(platform, known?.[1] ?? '', planned);
    },
    stopFakes,
    async stop() {
      await gateway.stop();
      await stopFakes();
    },
  };
}

/** Stores a shared credential, as the operator does. */
async function share({ gateway }: TestGateway, { slug, adapter }: Platform, key: unknown): Promise<void> {
  await setSharedCredential(
    {
      store: gateway.stores.credentials,
      vault: createVault(gateway.masterKeys.keys),
      providers: { adapterOf: () => adapter, slugs: () => [slug] },
      rules: { allowPrivateUpstreams: true },
      clock: systemClock,
    },
    slug,
    typeof key === 'string' ? key : JSON.stringify(key),
  );
}

async function startFakes(
  deployments: readonly string[],
  atEnd: (end: () => Promise<void>) => void,
): Promise<Fakes> {
  const bedrock = await serveFakeBedrock();
  atEnd(bedrock.close);
  return {
    bedrock,
    openai: await startFakeOpenAi(atEnd),
    anthropic: await startFakeAnthropic(atEnd),
    azure: await startFakeAzure(deployments, atEnd),
    vertex: await startFakeVertex(Date.now, atEnd),
  };
}

/** A chunk of a streamed answer, as far as tests read it. */
export interface Chunk {
  readonly choices: readonly {
    readonly delta: Readonly<Record<string, unknown>>;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The chunks of a streamed answer, and whether it ended with `[DONE]`. */
export function chunksOf({ status, headers, text }: Answer): { chunks: Chunk[]; isDone: boolean } {
  expect([status, headers['content-type'], text]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
    expect.anything(),
  ]);
  const data = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
  const isDone = data.at(-1) === '[DONE]';
  return { chunks: data.filter((one) => one !== '[DONE]').map((one) => JSON.parse(one)), isDone };
}
