import { onTestFinished } from 'vitest';
import type { AzureDeployment, AzureEntry, AzureResource } from '../../../src/byok/kinds/azure.js';
import type { Provider } from '../../../src/catalog/types.js';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import {
  normalizedOf,
  type UpstreamAdapter,
  type UpstreamCall,
} from '../../../src/inference/ports/adapter.js';
import { azure } from '../../../src/providers/azure/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { guardedConnector } from '../../../src/providers/http/guard.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { DEMO, demoEndpoint, NOW } from '../../support/chat.js';
import { FAKE_AZURE_KEY, startFakeAzure } from '../../support/fakes/fake-azure.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { TENANCY } from '../../support/tenancy.js';
import { eventsOf } from '../openai/adapter.fixture.js';

/** The adapter over connections that end with the test; its clock stands still. */
export function startAzureAdapter(): UpstreamAdapter<AzureEntry> {
  const [http, guardedHttp] = [createHttp(), createHttp(guardedConnector())];
  onTestFinished(async () => void (await Promise.all([http.close(), guardedHttp.close()])));
  return createAdapter(azure({ http, guardedHttp }), { now: () => NOW });
}

export function azureProvider(baseUrl: string | null): Provider {
  return { ...DEMO, slug: 'azure', name: 'Azure', adapter: 'azure', baseUrl };
}

export function resource(overrides: Partial<AzureResource> = {}): AzureResource {
  return {
    kind: 'resource',
    apiKey: FAKE_AZURE_KEY,
    resourceName: 'my-resource',
    resourceType: 'deployment',
    apiVersion: null,
    ...overrides,
  };
}

/** An entry for the deployment `prod`. */
export function deployment(overrides: Partial<AzureDeployment> = {}): AzureDeployment {
  return {
    kind: 'deployment',
    apiKey: FAKE_AZURE_KEY,
    modelSlug: 'demo/model',
    endpointUrl:
      'https://my-resource.openai.azure.com/openai/deployments/prod/chat/completions?api-version=2025-01-01-preview',
    modelId: 'prod',
    ...overrides,
  };
}

interface CallOptions {
  readonly credential?: AzureEntry;
  readonly body?: Partial<ChatBody>;
  readonly signal?: AbortSignal;
}

/** A call of the endpoint whose deployment is called `gpt-m`. */
export function azureCall(
  baseUrl: string | null,
  options: CallOptions = {},
): UpstreamCall<AzureEntry, 'chat'> {
  return {
    endpoint: demoEndpoint('gpt-m', { id: 'azure/m', provider: 'azure' }),
    provider: azureProvider(baseUrl),
    region: null,
    credential: options.credential ?? resource(),
    format: 'chat',
    body: { model: 'gpt-m', messages: [{ role: 'user', content: 'Hello there' }], ...options.body },
    reasoning: null,
    signal: options.signal ?? new AbortController().signal,
    onFirstByte: () => undefined,
    tenancy: TENANCY,
  };
}

/** A fake whose deployment `gpt-m` follows the plan, and the adapter that calls it. */
export async function startAzureTable(plan: FakePlan = {}) {
  const fake = await startFakeAzure();
  const adapter = startAzureAdapter();
  fake.plan('gpt-m', plan);
  const call = (options?: CallOptions) => azureCall(fake.baseUrl, options);
  return {
    fake,
    adapter,
    call,
    complete: async (options?: CallOptions) => normalizedOf(await adapter.complete(call(options))),
    stream: (options?: CallOptions) => eventsOf(adapter.stream(call(options))),
  };
}
