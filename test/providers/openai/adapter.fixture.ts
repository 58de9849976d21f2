import { onTestFinished } from 'vitest';
import type { OpenAiCredential } from '../../../src/byok/kinds/openai.js';
import type { Provider } from '../../../src/catalog/types.js';
import type { ChatBody } from '../../../src/formats/chat/types.js';
import {
  normalizedOf,
  type UpstreamAdapter,
  type UpstreamCall,
  type UpstreamEvent,
} from '../../../src/inference/ports/adapter.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { openAi } from '../../../src/providers/openai/index.js';
import { DEMO, demoEndpoint, NOW } from '../../support/chat.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { TENANCY } from '../../support/tenancy.js';

/** The adapter over connections that end with the test; its clock stands still. */
export function startAdapter(): UpstreamAdapter<OpenAiCredential> {
  const http = createHttp();
  onTestFinished(() => http.close());
  return createAdapter(openAi({ http, inlineMedia: async (body) => body }), { now: () => NOW });
}

export const CREDENTIAL: OpenAiCredential = { adapter: 'openai', apiKey: FAKE_API_KEY };

export function openAiProvider(baseUrl: string | null): Provider {
  return { ...DEMO, slug: 'openai', name: 'OpenAI', adapter: 'openai', baseUrl };
}

interface CallOptions {
  readonly body?: Partial<ChatBody>;
  readonly signal?: AbortSignal;
  readonly apiKey?: string;
  readonly onFirstByte?: () => void;
}

/** A call of a model at this root. */
export function callTo(
  baseUrl: string,
  model: string,
  options: CallOptions = {},
): UpstreamCall<OpenAiCredential, 'chat'> {
  return {
    endpoint: demoEndpoint(model),
    provider: openAiProvider(baseUrl),
    region: null,
    credential: { ...CREDENTIAL, apiKey: options.apiKey ?? FAKE_API_KEY },
    format: 'chat',
    body: { model, messages: [{ role: 'user', content: 'Hello there' }], ...options.body },
    signal: options.signal ?? new AbortController().signal,
    reasoning: null,
    onFirstByte: options.onFirstByte ?? (() => undefined),
    tenancy: TENANCY,
  };
}

/** A fake whose model `m` follows the plan, and the adapter that calls it. */
export async function startTable(plan: FakePlan = {}) {
  const fake = await startFakeOpenAi();
  const adapter = startAdapter();
  fake.plan('m', plan);
  const callM = (options?: CallOptions) => callTo(fake.baseUrl, 'm', options);
  return {
    fake,
    adapter,
    call: callM,
    complete: async (options?: CallOptions) => normalizedOf(await adapter.complete(callM(options))),
    stream: (options?: CallOptions) => eventsOf(adapter.stream(callM(options))),
  };
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

/** The text of the first choice in these events. */
export function textIn(
  events: readonly UpstreamEvent[],
  member: 'content' | 'reasoning' = 'content',
): string {
  return events.map((event) => (event.type === 'delta' ? (event.delta[member] ?? '') : '')).join('');
}

/** A chunk of a stream with one choice. */
export function chunk(
  delta: object | undefined,
  finish_reason: string | null = null,
  more: object = {},
): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, ...(delta && { delta }), finish_reason }],
    ...more,
  };
}
