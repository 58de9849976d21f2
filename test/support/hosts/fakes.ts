/** A fake of every host of the table, as strict as it is, on a port of its own. */
import { demoModel, type TestCatalog } from '../catalog.js';
import { FAKE_API_KEY as ANTHROPIC_KEY, startFakeAnthropic } from '../fakes/fake-anthropic.js';
import { FAKE_AZURE_KEY, startFakeAzure } from '../fakes/fake-azure.js';
import { FAKE_API_KEY as BEDROCK_KEY, serveFakeBedrock } from '../fakes/fake-bedrock/serve.js';
import { FAKE_HOSTS, type FakeHostName, startFakeHost } from '../fakes/fake-openai/hosts.js';
import { FAKE_API_KEY as OPENAI_KEY, startFakeOpenAi } from '../fakes/fake-openai.js';
import type { AtEnd, Planned } from '../fakes/fake-server.js';
import { startFakeVertex } from '../fakes/fake-vertex.js';
import { type Host, modelIdOf } from './table.js';

/** A request that a host got. */
export interface HostRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: object;
  /** In which words the host refused it by its rules. */
  readonly refused: string | undefined;
}

/** A plan of the fake that plays the host; what it may have is in the fake's `plan.ts`. */
export type HostPlan = Planned<object, object>;

export interface RunningHosts {
  /** Providers with the credential that their fake takes. */
  readonly credentials: readonly (Pick<Host, 'provider' | 'adapter'> & { readonly key: unknown })[];
  /** All providers, and a model at each host. */
  catalog(overrides: object): TestCatalog;
  /** Sets the plan for further requests to the host. */
  plan(host: Host, plan: HostPlan): void;
  /** All requests to the host's model, in order. */
  requests(host: Host): readonly HostRequest[];
}

interface Fake {
  readonly baseUrl: string;
  readonly key: unknown;
  readonly requests: readonly HostRequest[];
  plan(model: string, plan: HostPlan): void;
}

export async function startHosts(hosts: readonly Host[], atEnd: AtEnd): Promise<RunningHosts> {
  const fakes = new Map<string, Fake & Pick<Host, 'provider' | 'adapter'>>();
  for (const host of hosts) {
    const { provider, adapter } = host;
    if (fakes.has(provider)) continue;
    fakes.set(provider, { ...(await startFake(host, hosts, atEnd)), provider, adapter });
  }
  const fakeOf = ({ provider }: Host): Fake => {
    const fake = fakes.get(provider);
    if (fake === undefined) throw new Error(`${provider} was not started`);
    return fake;
  };
  return {
    credentials: [...fakes.values()],
    catalog: (overrides) => ({
      providers: [...fakes.values()].map(({ provider, adapter, baseUrl }) => ({
        slug: provider,
        name: provider,
        adapter,
        base_url: baseUrl,
      })),
      models: hosts.map((host) => demoModel(modelIdOf(host), [endpointAt(host)], overrides)),
    }),
    plan: (host, plan) => fakeOf(host).plan(host.model, plan),
    requests: (host) => fakeOf(host).requests.filter((request) => askedModel(host, request) === host.model),
  };
}

function endpointAt({ provider, model, format }: Host): object {
  const formats = format === 'responses' ? { formats: [format] } : {};
  return { provider, upstream_model_id: model, ...formats };
}

function askedModel({ fake }: Host, { path, body }: HostRequest): unknown {
  const [, inPath] = /\/models?\/([^/:]+)/.exec(decodeURIComponent(path)) ?? [];
  if (fake === 'bedrock') return /\/model\/(.*)\/[^/]*$/.exec(decodeURIComponent(path))?.[1];
  return fake === 'vertex' ? inPath : (body as { readonly model?: unknown }).model;
}

async function startFake({ fake, provider }: Host, hosts: readonly Host[], atEnd: AtEnd): Promise<Fake> {
  switch (fake) {
    case 'anthropic':
      return { ...(await startFakeAnthropic(atEnd)), key: ANTHROPIC_KEY };
    case 'bedrock': {
      const { close, ...bedrock } = await serveFakeBedrock();
      atEnd(close);
      return { ...bedrock, key: BEDROCK_KEY };
    }
    case 'vertex': {
      const vertex = await startFakeVertex(Date.now, atEnd);
      return { ...vertex, baseUrl: vertex.origin, key: JSON.parse(vertex.serviceAccount()) };
    }
    case 'azure': {
      const deployed = hosts.filter((host) => host.provider === provider).map(({ model }) => model);
      const key = [{ api_key: FAKE_AZURE_KEY, resource_name: 'my-resource', resource_type: 'catalog' }];
      return { ...(await startFakeAzure(deployed, atEnd)), key };
    }
    default:
      if (!isCopy(provider)) return { ...(await startFakeOpenAi(atEnd)), key: OPENAI_KEY };
      return { ...(await startFakeHost(provider, atEnd)), key: `sk-${provider}-0123456789abcdef` };
  }
}

function isCopy(provider: string): provider is FakeHostName {
  return FAKE_HOSTS.has(provider);
}
