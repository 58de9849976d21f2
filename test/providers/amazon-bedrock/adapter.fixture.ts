import { onTestFinished } from 'vitest';
import { runToEnd } from '../../../src/base/time-slices.js';
import type { BedrockCredential } from '../../../src/byok/kinds/amazon-bedrock.js';
import type { Endpoint, Provider } from '../../../src/catalog/types.js';
import type {
  ChatBody,
  ChatMessage,
  ChunkDelta,
  ContentPart,
  JsonObject,
} from '../../../src/formats/chat/types.js';
import {
  normalizedOf,
  type UpstreamAdapter,
  type UpstreamCall,
  type UpstreamEvent,
} from '../../../src/inference/ports/adapter.js';
import type { Reasoning } from '../../../src/inference/reasoning/reasoning.js';
import { converseBody } from '../../../src/providers/amazon-bedrock/chat/request.js';
import { bedrock } from '../../../src/providers/amazon-bedrock/index.js';
import { readArguments } from '../../../src/providers/common/nested-json.js';
import { createAdapter } from '../../../src/providers/http/exchange.js';
import { createHttp } from '../../../src/providers/http/http.js';
import { createInlineMedia } from '../../../src/providers/http/inline-media.js';
import { DEMO, demoEndpoint, NOW } from '../../support/chat.js';
import type { FakePlan } from '../../support/fakes/fake-bedrock/plan.js';
import {
  FAKE_ACCESS_KEY,
  FAKE_API_KEY,
  FAKE_REGION,
  startFakeBedrock,
} from '../../support/fakes/fake-bedrock.js';
import { TENANCY } from '../../support/tenancy.js';

/** The adapter over connections that end with the test; its clock stands still. */
export function startAdapter(now = NOW): UpstreamAdapter<BedrockCredential> {
  const http = createHttp();
  onTestFinished(() => http.close());
  return createAdapter(
    bedrock({
      http,
      inlineMedia: createInlineMedia({ guardedHttp: http, allowHttp: true }),
      clock: { now: () => now },
    }),
    { now: () => now },
  );
}

export const ACCESS_KEY: BedrockCredential = {
  adapter: 'amazon-bedrock',
  kind: 'access_key',
  ...FAKE_ACCESS_KEY,
  region: FAKE_REGION,
};

export const API_KEY: BedrockCredential = {
  adapter: 'amazon-bedrock',
  kind: 'api_key',
  apiKey: FAKE_API_KEY,
  region: null,
};

/** A model of Anthropic's, as Bedrock names them. */
export const CLAUDE = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

/** One with few features. */
export const LLAMA = 'meta.llama3-3-70b-instruct-v1:0';

export function bodyFor(body: Partial<ChatBody>, options: CallOptions = {}): JsonObject {
  const { endpoint, body: whole, reasoning } = callTo('', { ...options, body });
  return converseBody({ body: whole, reasoning, endpoint }, runToEnd(readArguments(whole)));
}

/** A user's message of these parts. */
export function user(...content: readonly ContentPart[]): ChatMessage {
  return { role: 'user', content };
}

export function bedrockProvider(baseUrl: string | null): Provider {
  return { ...DEMO, slug: 'amazon-bedrock', name: 'Amazon Bedrock', adapter: 'amazon-bedrock', baseUrl };
}

export interface CallOptions {
  readonly body?: Partial<ChatBody>;
  readonly model?: string;
  readonly endpoint?: Partial<Endpoint>;
  readonly reasoning?: Reasoning | null;
  readonly region?: string | null;
  readonly credential?: BedrockCredential;
  readonly signal?: AbortSignal;
  readonly onFirstByte?: () => void;
}

/** A call of a model at this root. */
export function callTo(baseUrl: string, options: CallOptions = {}): UpstreamCall<BedrockCredential, 'chat'> {
  const model = options.model ?? CLAUDE;
  return {
    endpoint: demoEndpoint(model, options.endpoint),
    provider: bedrockProvider(baseUrl),
    region: options.region === undefined ? FAKE_REGION : options.region,
    credential: options.credential ?? ACCESS_KEY,
    format: 'chat',
    body: { model, messages: [{ role: 'user', content: 'Hello there' }], ...options.body },
    signal: options.signal ?? new AbortController().signal,
    reasoning: options.reasoning ?? null,
    onFirstByte: options.onFirstByte ?? (() => undefined),
    tenancy: TENANCY,
  };
}

/** A fake whose Claude follows the plan, and the adapter that calls it. */
export async function startTable(plan: FakePlan = {}) {
  const fake = await startFakeBedrock(() => NOW);
  const adapter = startAdapter();
  fake.plan(CLAUDE, plan);
  const call = (options?: CallOptions) => callTo(fake.baseUrl, options);
  return {
    fake,
    adapter,
    call,
    complete: async (options?: CallOptions) => normalizedOf(await adapter.complete(call(options))),
    stream: (options?: CallOptions) => eventsOf(adapter.stream(call(options))),
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

/** The deltas in these events. */
export function deltasOf(events: readonly UpstreamEvent[]): ChunkDelta[] {
  return events.flatMap((event) => (event.type === 'delta' ? [event.delta] : []));
}

/** The text in these events. */
export function textIn(
  events: readonly UpstreamEvent[],
  member: 'content' | 'reasoning' = 'content',
): string {
  return deltasOf(events)
    .map((delta) => delta[member] ?? '')
    .join('');
}
