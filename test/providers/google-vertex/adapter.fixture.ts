import { onTestFinished } from 'vitest';
import type { VertexCredential } from '../../../src/byok/kinds/google-vertex.js';
import { parseVertex } from '../../../src/byok/kinds/google-vertex.js';
import type { Endpoint, Provider } from '../../../src/catalog/types.js';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import {
  normalizedOf,
  type UpstreamAdapter,
  type UpstreamCall,
} from '../../../src/inference/ports/adapter.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import type { InferenceDependencies } from '../../../src/inference/run/dependencies.js';
import { AccessTokens } from '../../../src/providers/google-vertex/host/token.js';
import { vertex } from '../../../src/providers/google-vertex/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { createInlineMedia } from '../../../src/providers/http/inline-media.js';
import { type Bench, bench, DEMO, demoEndpoint, NOW, sharedAttempt } from '../../support/chat.js';
import type { FakePlan } from '../../support/fakes/fake-vertex/plan.js';
import { type FakeVertex, startFakeVertex } from '../../support/fakes/fake-vertex.js';
import { TENANCY } from '../../support/tenancy.js';
import { eventsOf } from '../anthropic/adapter.fixture.js';

/** The default model. */
export const MODEL = 'gemini-2.5-flash';

/** A clock that only moves when told to. */
export interface TestClock {
  time: number;
  now(): number;
}

export function testClock(): TestClock {
  return {
    time: NOW,
    now() {
      return this.time;
    },
  };
}

/** The adapter over connections that end with the test. */
function startAdapter(clock: TestClock = testClock()): UpstreamAdapter<VertexCredential> {
  const http = createHttp();
  onTestFinished(() => http.close());
  return createAdapter(
    vertex({
      http,
      inlineMedia: createInlineMedia({ guardedHttp: http, allowHttp: true }),
      tokens: new AccessTokens({ http, guardedHttp: http, clock }),
    }),
    clock,
  );
}

/** The credential of a JSON key. */
export function credentialOf(text: string): VertexCredential {
  const parsed = parseVertex(text, true);
  if (!('ok' in parsed)) throw new Error(JSON.stringify(parsed.violations));
  return parsed.ok;
}

export function vertexProvider(baseUrl: string | null): Provider {
  return { ...DEMO, slug: 'google-vertex', name: 'Google Vertex AI', adapter: 'google-vertex', baseUrl };
}

export interface CallOptions {
  readonly body?: Partial<ChatBody>;
  readonly endpoint?: Partial<Endpoint>;
  readonly reasoning?: Reasoning | null;
  readonly region?: string;
  readonly signal?: AbortSignal;
  readonly credential?: VertexCredential;
  readonly onFirstByte?: () => void;
}

/** A fake whose model follows the plan, and the adapter that calls it. */
export async function startTable(plan: FakePlan = {}, model = MODEL) {
  const clock = testClock();
  const fake = await startFakeVertex(() => clock.now());
  const adapter = startAdapter(clock);
  const credential = credentialOf(fake.serviceAccount());
  fake.plan(model, plan);
  const call = (options: CallOptions = {}): UpstreamCall<VertexCredential, 'chat'> => ({
    endpoint: demoEndpoint(model, options.endpoint),
    provider: vertexProvider(fake.origin),
    region: options.region ?? null,
    credential: options.credential ?? credential,
    format: 'chat',
    body: { model, messages: [{ role: 'user', content: 'Hello there' }], ...options.body },
    reasoning: options.reasoning ?? null,
    signal: options.signal ?? new AbortController().signal,
    onFirstByte: options.onFirstByte ?? (() => undefined),
    tenancy: TENANCY,
  });
  return {
    fake,
    clock,
    adapter,
    credential,
    call,
    complete: async (options?: CallOptions) => normalizedOf(await adapter.complete(call(options))),
    stream: (options?: CallOptions) => eventsOf(adapter.stream(call(options))),
  };
}

/** A whole chat over the real adapter and a fake Google, one attempt for each of the models named. */
export async function vertexBench(
  plans: Readonly<Record<string, FakePlan>>,
  models: readonly string[],
  overrides: Partial<InferenceDependencies> = {},
): Promise<{ table: Bench; fake: FakeVertex }> {
  const clock = testClock();
  const fake = await startFakeVertex(() => clock.now());
  for (const [model, plan] of Object.entries(plans)) fake.plan(model, plan);
  const credential = credentialOf(fake.serviceAccount());
  const provider = vertexProvider(fake.origin);
  const attempts = models.map((model) => {
    const endpoint = demoEndpoint(model, { id: `google-vertex/${model}`, provider: 'google-vertex' });
    return sharedAttempt(model, { endpoint, provider });
  });
  const table = bench(attempts, {
    adapters: new Map([['google-vertex', startAdapter(clock)]]),
    openCredential: async () => credential,
    ...overrides,
  });
  return { table, fake };
}
