/** A whole gateway in front of two OpenAI-compatible providers, for tests of their failures. */
import { expect } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { setSharedCredential } from '../../src/byok/keys/operator-credential.js';
import { createVault } from '../../src/byok/vault/vault.js';
import type { AdapterName, Format } from '../../src/catalog/types.js';
import { demoModel } from './catalog.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from './fakes/fake-openai.js';
import type { TestGateway, TestGatewayOptions } from './gateway.js';
import { type MoneyGateway, startMoneyGateway } from './money.js';
import { type Answer, bodyOf, type Row, recordOf } from './rest.js';

/** The credentials of requests. */
export const CAPACITIES = ['shared capacity', 'BYOK keys'] as const;
export type Capacity = (typeof CAPACITIES)[number];

/** Both ways to ask. */
export const MODES = ['in one piece', 'streamed'] as const;
export type Mode = (typeof MODES)[number];

/** Every pair of the two. */
export const CASES = CAPACITIES.flatMap((capacity) => MODES.map((mode) => ({ capacity, mode })));

/** Each capacity and each mode once, for tests that only depend on time. */
export const FEW_CASES = [
  { capacity: 'shared capacity', mode: 'in one piece' },
  { capacity: 'BYOK keys', mode: 'streamed' },
] as const;

/** What the fakes say unless they are told otherwise; 4 tokens. */
export const CONTENT = 'Grüezi mitenand 👋🏽!';

/** USD of a completion token at each of the providers; a prompt costs nothing. */
export const TOKEN_USD = { alpha: 0.0001, beta: 0.0002 };

/** The gateway; `alpha` is always tried before `beta`. Models `test/m` and `test/n`, known to both as `m` and `n`. */
export interface ProvidersGateway extends MoneyGateway {
  readonly alpha: FakeOpenAi;
  readonly beta: FakeOpenAi;
  /** A chat with `test/m`, heard to its end. */
  ask(mode: Mode, more?: object): Promise<Heard>;
}

interface ProvidersOptions extends Omit<TestGatewayOptions, 'catalog'> {
  /** Starts each of the two; by default an OpenAI. */
  readonly startFake?: () => Promise<FakeOpenAi>;
  readonly maxCompletionTokens?: number;
  /** What both call `test/m`. */
  readonly upstreamModelId?: string;
  /** What each speaks; by default chats. */
  readonly formats?: { readonly [slug in 'alpha' | 'beta']?: readonly Format[] };
}

/** Starts one that ends with the test. `capacity` null: neither shared credentials nor keys. `baseUrlOf`: the way to a fake. */
export async function startProviders(
  capacity: Capacity | null,
  {
    startFake = startFakeOpenAi,
    maxCompletionTokens = 4_096,
    formats = {},
    upstreamModelId = 'm',
    ...options
  }: ProvidersOptions = {},
  baseUrlOf: (fake: FakeOpenAi) => Promise<string> = async ({ baseUrl }) => baseUrl,
): Promise<ProvidersGateway> {
  const [alpha, beta] = await Promise.all([startFake(), startFake()]);
  const provider = async (slug: string, fake: FakeOpenAi) => ({
    slug,
    name: `Provider ${slug}`,
    adapter: 'openai',
    base_url: await baseUrlOf(fake),
    data_policy: { zdr: true, data_collection: false },
  });
  const endpoints = (upstream_model_id: string) =>
    (['alpha', 'beta'] as const).map((slug) => ({
      provider: slug,
      upstream_model_id,
      pricing: { prompt: '0', completion: String(TOKEN_USD[slug]) },
      max_completion_tokens: maxCompletionTokens,
      ...(formats[slug] !== undefined && { formats: formats[slug] }),
    }));
  const gateway = await startMoneyGateway({
    ...options,
    providers: [await provider('alpha', alpha), await provider('beta', beta)],
    models: [
      demoModel('test/m', endpoints(upstreamModelId), { context_length: 1_000_000 }),
      demoModel('test/n', endpoints('n'), { context_length: 1_000_000 }),
    ],
  });
  for (const slug of ['alpha', 'beta']) {
    if (capacity === 'shared capacity') await share(gateway, slug, FAKE_API_KEY);
    if (capacity === 'BYOK keys') await addKey(gateway, slug, FAKE_API_KEY);
  }
  return {
    ...{ ...gateway, alpha, beta },
    ask: async (mode, more = {}) =>
      hear(await gateway.chat('test/m', { stream: mode === 'streamed', ...more })),
  };
}

/** Stores the shared credential of a provider. */
export async function share(
  { gateway }: Pick<TestGateway, 'gateway'>,
  provider: string,
  key: string,
  adapter: AdapterName = 'openai',
) {
  const { stores, masterKeys } = gateway;
  await setSharedCredential(
    {
      store: stores.credentials,
      vault: createVault(masterKeys.keys),
      providers: { adapterOf: () => adapter, slugs: () => [provider] },
      rules: { allowPrivateUpstreams: true },
      clock: systemClock,
    },
    provider,
    key,
  );
}

/** Stores a BYOK key; its id. */
export async function addKey({ manage }: MoneyGateway, provider: string, key: string, more: object = {}) {
  return String(recordOf(await manage('POST', '/byok', { provider, key, ...more })).id);
}

/** A client's result in either mode. */
export interface Heard {
  readonly status: number;
  readonly id: string;
  readonly headers: Answer['headers'];
  /** The text of the first choice. */
  readonly content: string;
  readonly finishReason: string | null;
  readonly usage: {
    readonly cost: number;
    readonly completion_tokens: number;
    readonly is_byok: boolean;
  } | null;
  readonly model: unknown;
  readonly provider: unknown;
  /** Of an error, before or in the answer. */
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly param?: unknown;
    readonly metadata?: Row;
  } | null;
  /** Whether the answer is marked as complete. */
  readonly isDone: boolean;
  readonly text: string;
}

interface Piece {
  readonly choices?: readonly { finish_reason: string | null; delta?: Message; message?: Message }[];
  readonly usage?: Heard['usage'];
  readonly error?: Heard['error'];
  readonly model?: unknown;
  readonly provider?: unknown;
}

interface Message {
  readonly content?: string | null;
}

/** Reads an answer in either mode. */
export function hear(answer: Answer): Heard {
  const { status, headers, text } = answer;
  const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
  const events = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
  const pieces: Piece[] = isStream
    ? events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data))
    : [bodyOf(answer)];
  const firstChoices = pieces.flatMap(({ choices }) => choices?.[0] ?? []);
  const error = pieces.find((piece) => piece.error !== undefined)?.error ?? null;
  return {
    status,
    headers,
    text,
    error,
    id: String(headers['x-generation-id'] ?? error?.metadata?.generation_id),
    content: firstChoices.map(({ delta, message }) => (delta ?? message)?.content ?? '').join(''),
    finishReason: firstChoices.at(-1)?.finish_reason ?? null,
    usage: pieces.at(-1)?.usage ?? null,
    model: pieces[0]?.model,
    provider: pieces[0]?.provider,
    isDone: isStream ? events.at(-1) === '[DONE]' : status === 200,
  };
}

/** The record of a generation, as shown to its API key. */
export async function generation(
  { use }: Pick<MoneyGateway, 'use'>,
  { id }: Pick<Heard, 'id'>,
): Promise<Row> {
  return recordOf(await use('GET', `/generation?id=${id}`));
}

/** The attempts at a generation, as `provider status error`. */
export async function attempts(gateway: MoneyGateway, heard: Pick<Heard, 'id'>): Promise<string[]> {
  const { provider_responses } = await generation(gateway, heard);
  return (provider_responses as Row[]).map(({ provider, status, error }) => `${provider} ${status} ${error}`);
}

/** Checks that the answer is complete and comes from the provider. */
export function expectAnswerFrom(heard: Heard, provider: 'alpha' | 'beta'): void {
  expect(heard).toMatchObject({
    ...{ status: 200, error: null, provider, content: CONTENT, isDone: true, finishReason: 'stop' },
    usage: { completion_tokens: 4 },
  });
}
