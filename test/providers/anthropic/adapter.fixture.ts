import { onTestFinished } from 'vitest';
import type { AnthropicCredential } from '../../../src/byok/kinds/anthropic.js';
import type { Endpoint, Provider } from '../../../src/catalog/types.js';
import type { ChatBody, ToolCall } from '../../../src/formats/chat/types.js';
import {
  normalizedOf,
  type UpstreamAdapter,
  type UpstreamCall,
  type UpstreamEvent,
} from '../../../src/inference/ports/adapter.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import type { InferenceDependencies } from '../../../src/inference/run/dependencies.js';
import { anthropic } from '../../../src/providers/anthropic/index.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { type Bench, bench, DEMO, demoEndpoint, NOW, sharedAttempt } from '../../support/chat.js';
import type { FakePlan } from '../../support/fakes/fake-anthropic/plan.js';
import { FAKE_API_KEY, type FakeAnthropic, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { TENANCY } from '../../support/tenancy.js';

/** The adapter over connections that end with the test; its clock stands still. */
export function startAdapter(): UpstreamAdapter<AnthropicCredential> {
  const http = createHttp();
  onTestFinished(() => http.close());
  return createAdapter(anthropic({ http }), { now: () => NOW });
}

const CREDENTIAL: AnthropicCredential = { adapter: 'anthropic', apiKey: FAKE_API_KEY };

function anthropicProvider(baseUrl: string | null): Provider {
  return { ...DEMO, slug: 'anthropic', name: 'Anthropic', adapter: 'anthropic', baseUrl };
}

interface CallOptions {
  readonly body?: Partial<ChatBody>;
  readonly endpoint?: Partial<Endpoint>;
  readonly reasoning?: Reasoning | null;
  readonly signal?: AbortSignal;
  readonly apiKey?: string;
  readonly onFirstByte?: () => void;
}

/** A call of a model at this root. */
export function callTo(
  baseUrl: string,
  model: string,
  options: CallOptions = {},
): UpstreamCall<AnthropicCredential, 'chat'> {
  return {
    endpoint: demoEndpoint(model, options.endpoint),
    provider: anthropicProvider(baseUrl),
    region: null,
    credential: { ...CREDENTIAL, apiKey: options.apiKey ?? FAKE_API_KEY },
    format: 'chat',
    body: { model, messages: [{ role: 'user', content: 'Hello there' }], ...options.body },
    signal: options.signal ?? new AbortController().signal,
    reasoning: options.reasoning ?? null,
    onFirstByte: options.onFirstByte ?? (() => undefined),
    tenancy: TENANCY,
  };
}

/** A fake whose model follows the plan, and the adapter that calls it. */
export async function startTable(plan: FakePlan = {}, model = 'm') {
  const fake = await startFakeAnthropic();
  const adapter = startAdapter();
  fake.plan(model, plan);
  const call = (options?: CallOptions) => callTo(fake.baseUrl, model, options);
  return {
    fake,
    adapter,
    call,
    complete: async (options?: CallOptions) => normalizedOf(await adapter.complete(call(options))),
    stream: (options?: CallOptions) => eventsOf(adapter.stream(call(options))),
  };
}

/** A whole chat over the real adapter and a fake provider, one attempt for each of the models named. */
export async function anthropicBench(
  plans: Readonly<Record<string, FakePlan>>,
  models: readonly string[],
  overrides: Partial<InferenceDependencies> = {},
): Promise<{ table: Bench; fake: FakeAnthropic }> {
  const fake = await startFakeAnthropic();
  for (const [model, plan] of Object.entries(plans)) fake.plan(model, plan);
  const provider = anthropicProvider(fake.baseUrl);
  const attempts = models.map((model) => {
    const endpoint = demoEndpoint(model, { id: `anthropic/${model}`, provider: 'anthropic' });
    return sharedAttempt(model, { endpoint, provider });
  });
  const table = bench(attempts, {
    adapters: new Map([['anthropic', startAdapter()]]),
    openCredential: async () => CREDENTIAL,
    ...overrides,
  });
  return { table, fake };
}

/** All events, and what was thrown in the end. */
export async function eventsOf(
  stream: AsyncIterable<UpstreamEvent>,
): Promise<{ events: UpstreamEvent[]; thrown: unknown }> {
  const events: UpstreamEvent[] = [];
  try {
    for await (const event of stream) events.push(event);
    return { events, thrown: undefined };
  } catch (thrown) {
    return { events, thrown };
  }
}

/** The message in these events, assembled like clients do. */
export function assembled(events: readonly UpstreamEvent[]) {
  const deltas = events.flatMap((event) => (event.type === 'delta' ? [event.delta] : []));
  const fragments = deltas.flatMap(({ tool_calls }) => tool_calls ?? []);
  const calls = fragments.filter(({ id }) => id !== undefined);
  return {
    content: deltas.map(({ content }) => content ?? '').join(''),
    reasoning: deltas.map(({ reasoning }) => reasoning ?? '').join(''),
    reasoning_details: deltas.flatMap(({ reasoning_details }) => reasoning_details ?? []),
    tool_calls: calls.map(({ index, ...call }) => ({
      ...call,
      function: { name: call.function?.name ?? '', arguments: argumentsOf(fragments, index) },
    })),
  };
}

function argumentsOf(fragments: readonly ToolCall[], index: number | undefined): string {
  return fragments
    .map((fragment) => (fragment.index === index ? (fragment.function?.arguments ?? '') : ''))
    .join('');
}
