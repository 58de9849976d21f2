import type { Ids } from '../../src/base/ids.js';
import { type PushStream, pushed } from '../../src/base/push-stream.js';
import { DEFAULT_TIMEOUTS, type Timeouts } from '../../src/base/timeouts.js';
import type { ByokKey } from '../../src/byok/types.js';
import type { Endpoint, Pricing, Provider } from '../../src/catalog/types.js';
import type { ChatAnswer, ChatBody, ChatChunk } from '../../src/formats/chat/types.js';
import { Adaptations } from '../../src/inference/attempts/adaptation.js';
import { CHAT_ANSWER } from '../../src/inference/chat/answer.js';
import { saidBy } from '../../src/inference/facts/chat-facts.js';
import { createInference, type Inference } from '../../src/inference/inference.js';
import { Departures } from '../../src/inference/leaving/departures.js';
import type { UpstreamAdapter, UpstreamCall, UpstreamEvent } from '../../src/inference/ports/adapter.js';
import { UNATTRIBUTED } from '../../src/inference/ports/attribution.js';
import type { Generation } from '../../src/inference/ports/generation.js';
import type { InferenceRequest } from '../../src/inference/ports/inference-request.js';
import type { InferenceDependencies } from '../../src/inference/run/dependencies.js';
import type { AdmittedRequest } from '../../src/inference/run/reservation.js';
import { NO_SETTLEMENT, settlementOf } from '../../src/ledger/settlement.js';
import { demoAdapter } from '../../src/providers/demo/index.js';
import type { Outcome } from '../../src/routing/health/failure-record.js';
import { noPreferences } from '../../src/routing/plan/preferences.js';
import type { Attempt } from '../../src/routing/types.js';
import { REFUSALS } from './refusals.js';

/** The time of every request in these tests. */
export const NOW = Date.UTC(2026, 0, 5, 12, 30);

const PRICING: Pricing = {
  prices: { prompt: '0.000001', completion: '0.000002' },
  discount: null,
  overrides: [],
};

export const DEMO: Provider = {
  slug: 'demo',
  name: 'Demo',
  adapter: 'demo',
  baseUrl: null,
  storageBaseUrl: null,
  quirks: {},
  regions: [],
  dataPolicy: {},
  headquarters: null,
  datacenters: [],
  privacyPolicyUrl: null,
  termsOfServiceUrl: null,
  statusPageUrl: null,
};

/** An endpoint of the demo provider that plays the script of this name. */
export function demoEndpoint(script: string, overrides: Partial<Endpoint> = {}): Endpoint {
  return {
    id: `demo/${script}`,
    provider: 'demo',
    modelId: 'demo/model',
    upstreamModelId: script,
    region: null,
    pricing: PRICING,
    contextLength: null,
    maxCompletionTokens: null,
    isModerated: false,
    quantization: null,
    supportedParameters: [],
    dataPolicy: { zdr: true, dataCollection: false },
    status: 'active',
    formats: ['chat'],
    quirks: {},
    ...overrides,
  };
}

/** An attempt on shared capacity that plays the script of this name. */
export function sharedAttempt(script: string, overrides: Partial<Attempt> = {}): Attempt {
  return {
    endpoint: demoEndpoint(script),
    provider: DEMO,
    modelReasoning: null,
    key: null,
    section: 'shared',
    region: null,
    health: { state: 'ok' },
    ...overrides,
  };
}

/** An attempt over a BYOK key. `openCredential` of the bench gives the key's name as its credential. */
export function byokAttempt(credential: string, script = 'echo'): Attempt {
  const key: ByokKey = {
    id: `key-${credential}`,
    accountId: 'account',
    workspaceId: 'workspace',
    provider: 'demo',
    label: '...',
    name: credential,
    disabled: false,
    isFallback: false,
    isRequired: false,
    isByokOnly: false,
    declaredZdr: null,
    allowedModels: null,
    allowedApiKeyHashes: null,
    allowedUserIds: null,
    workspaceIds: null,
    sortOrder: 0,
    createdAt: NOW,
    updatedAt: NOW,
  };
  return sharedAttempt(script, { key, section: 'prioritized' });
}

/** Answers requests as chats. */
export interface Chat {
  complete(request: InferenceRequest): Promise<ChatAnswer>;
  stream(request: InferenceRequest): PushStream<ChatChunk>;
  idle(): Promise<void>;
}

export function chatOver(inference: Inference): Chat {
  return {
    complete: (request) => inference.complete({ request, format: CHAT_ANSWER }),
    stream: (request) => inference.stream({ request, format: CHAT_ANSWER }),
    idle: () => inference.idle(),
  };
}

/** The dependencies of a chat, and what they recorded. */
export interface Bench {
  readonly chat: Chat;
  readonly generations: Generation[];
  readonly outcomes: { endpointId: string; byokKeyId: string | null; outcome: Outcome }[];
}

/** A chat over these attempts: demo provider, fixed time, records in memory. */
export function bench(attempts: readonly Attempt[], overrides: Partial<InferenceDependencies> = {}): Bench {
  const generations: Generation[] = [];
  const outcomes: Bench['outcomes'] = [];
  let count = 0;
  const ids: Ids = { uuid: () => String(++count), hex: () => '' };
  const inference = createInference({
    adapters: new Map([['demo', demoAdapter]]),
    openCredential: async ({ key }) => (key?.name ? { adapter: 'demo', apiKey: key.name } : null),
    circuit: {
      enter: () => ({ end: () => undefined }),
      health: () => ({ state: 'ok' }),
      record: ({ endpointId, byokKeyId }, outcome) => void outcomes.push({ endpointId, byokKeyId, outcome }),
    },
    adaptations: new Adaptations({ now: () => NOW }, REFUSALS),
    refusals: REFUSALS,
    clock: { now: () => NOW },
    admit: async () => coveredReservation(attempts),
    answers: null,
    generations: {
      async settle(generation, charge) {
        const settlement = charge === null ? NO_SETTLEMENT : settlementOf(charge, 0n);
        const { spend, byokFeeNanoUsd } = settlement;
        const usage = {
          usageNanoUsd: spend.creditNanoUsd,
          upstreamInferenceCostNanoUsd: charge?.isByok ? spend.byokNanoUsd : null,
          byokFeeNanoUsd,
        };
        generations.push(structuredClone({ ...generation, ...usage }));
        return settlement;
      },
    },
    ids,
    journal: { follow: () => () => undefined },
    timeouts: DEFAULT_TIMEOUTS,
    onDisconnect: { shared: 'cancel', byok: 'cancel' },
    departures: new Departures({ usableUntil: async () => Infinity, clock: { now: () => NOW } }),
    rates: { of: () => 100 },
    ...overrides,
  });
  return { chat: chatOver(inference), generations, outcomes };
}

/** Never runs out of the reservation, however long the answer. */
export function coveredReservation(attempts: readonly Attempt[]): AdmittedRequest {
  return {
    attempts,
    unusableKeys: [],
    requestedAs: new Map(),
    excludedCounts: {},
    leftOutWork: [],
    runId: null,
    cache: null,
    covers: () => true,
    extend: async () => true,
    reserve: async () => undefined,
    tokensFor: () => ({ promptTokens: 1_000, completionTokens: 1_000 }),
    ended: () => undefined,
  };
}

/** Timeouts short enough for a test, yet far longer than anything else takes. */
export function shortTimeouts(overrides: Partial<Timeouts>): Timeouts {
  return { ...DEFAULT_TIMEOUTS, ...overrides };
}

export function chatRequest(
  body: Partial<ChatBody> = {},
  signal = new AbortController().signal,
): InferenceRequest {
  return {
    ...saidBy({
      format: 'chat',
      chat: { model: 'demo/model', messages: [{ role: 'user', content: 'Hello there' }], ...body },
    }),
    caller: {
      accountId: 'account',
      workspaceId: 'workspace',
      apiKeyHash: 'hash',
      userId: 'user_1',
      region: 'global',
      plan: 'pay_as_you_go',
      baseUrl: 'https://gateway.test',
      limit: null,
      endUsers: null,
    },
    preferences: noPreferences,
    requestId: 'request',
    session: null,
    cacheTtl: null,
    attribution: UNATTRIBUTED,
    signal,
  };
}

/** All chunks, and the error that the stream ended with. */
export async function drain(
  stream: AsyncIterable<ChatChunk>,
): Promise<{ chunks: ChatChunk[]; thrown: unknown }> {
  const chunks: ChatChunk[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { chunks, thrown: undefined };
  } catch (thrown) {
    return { chunks, thrown };
  }
}

/** The text of a stream's first choice. */
export function contentOf(chunks: readonly ChatChunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
}

/** Events of a stream; an error in the list is thrown at its place. */
export type ScriptedStream = readonly (UpstreamEvent | Error)[];

/** An adapter whose streams are these, one per call. */
export function scriptedAdapter(...streams: readonly ScriptedStream[]) {
  const calls: UpstreamCall[] = [];
  const adapter = streaming(async function* (call) {
    const events = streams[calls.push(call) - 1] ?? [];
    call.onFirstByte();
    for (const event of events) {
      if (event instanceof Error) throw event;
      yield event;
    }
  });
  return { adapter, calls };
}

/** An adapter that plays events, one after the other as they are pulled. */
export function streaming(
  play: (call: UpstreamCall) => AsyncGenerator<UpstreamEvent, void, undefined>,
): UpstreamAdapter {
  return {
    complete: () => Promise.reject(new Error('streams only')),
    stream: (call) => pushed(play(call)),
  };
}

export const word = (content: string, index = 0): UpstreamEvent => ({
  type: 'delta',
  index,
  delta: { content },
});
export const finish = (index = 0): UpstreamEvent => ({
  type: 'finish',
  index,
  reason: 'stop',
  nativeReason: 'end_turn',
});
