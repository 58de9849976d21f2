/** A gateway whose model `test/m` is at a fake OpenAI, by chats or by Responses, or at a fake Anthropic, and clients that leave at a moment of its answer. */
import { expect, vi } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { CALLS, type Sent, type Transport, VERSIONS } from '../../support/clients/calls.js';
import * as anthropic from '../../support/fakes/fake-anthropic.js';
import * as openai from '../../support/fakes/fake-openai.js';
import type { FakeServer } from '../../support/fakes/fake-server.js';
import { type MoneyGateway, startMoneyGateway } from '../../support/money.js';
import { addKey, type Capacity, share } from '../../support/providers.js';
import { type Row, rowsOf } from '../../support/rest.js';

/** `responses`: an OpenAI whose model has no chats. */
export type Host = 'openai' | 'anthropic' | 'responses';

/** USD of a token. */
export const PRICES = { prompt: 0.000001, completion: 0.0001 };

/** What the providers count of any prompt. */
export const PROMPT_TOKENS = 40;

/** Each is a token. */
export const WORDS = ['Once', ' was', ' a', ' fox'];
export const THOUGHTS = ['Hm', ', so', '.'];

export interface LeavingGateway extends MoneyGateway {
  readonly host: Host;
  readonly fake: Pick<FakeServer, 'aborts' | 'bytesWritten'> & { readonly requests: readonly unknown[] };
  /** Sets what the provider does with the next requests. */
  plan(failures: object): void;
}

export async function startHost(
  host: Host,
  capacity: Capacity,
  { env = {}, model = {} }: { env?: Record<string, string>; model?: object } = {},
): Promise<LeavingGateway> {
  const adapter = host === 'anthropic' ? 'anthropic' : 'openai';
  const fake = await (adapter === 'openai' ? openai.startFakeOpenAi() : anthropic.startFakeAnthropic());
  const formats = host === 'responses' ? { formats: ['responses'] } : {};
  const pricing = { prompt: String(PRICES.prompt), completion: String(PRICES.completion) };
  const gateway = await startMoneyGateway({
    env,
    providers: [{ slug: 'host', name: 'Host', adapter, base_url: fake.baseUrl }],
    models: [
      demoModel(
        'test/m',
        [{ provider: 'host', upstream_model_id: 'm', pricing, max_completion_tokens: 2_000, ...formats }],
        { context_length: 100_000, ...model },
      ),
    ],
  });
  const key = adapter === 'openai' ? openai.FAKE_API_KEY : anthropic.FAKE_API_KEY;
  if (capacity === 'shared capacity') await share(gateway, 'host', key, adapter);
  else await addKey(gateway, 'host', key);
  const usage = host === 'openai' ? { prompt_tokens: PROMPT_TOKENS } : { input_tokens: PROMPT_TOKENS };
  const thinking = adapter === 'openai' ? { reasoning: THOUGHTS } : {};
  return {
    ...{ ...gateway, host, fake },
    plan: (failures) => fake.plan('m', { usage, words: WORDS, ...thinking, ...failures } as never),
  };
}

/** Sends a chat; gRPC over HTTP/2, all others over HTTP/1.1. */
export function send(
  { url, apiKey }: Pick<LeavingGateway, 'url' | 'apiKey'>,
  transport: Transport,
  isStreamed: boolean,
  more: object = {},
  key = apiKey,
): Sent {
  const call = CALLS[transport](isStreamed);
  const version = transport === 'gRPC' ? 'HTTP/2' : 'HTTP/1.1';
  return VERSIONS[version](new URL(url), withMembers(call, more), key);
}

function withMembers(call: ReturnType<(typeof CALLS)['REST']>, more: object) {
  if (Object.keys(more).length === 0) return call;
  return { ...call, body: Buffer.from(JSON.stringify({ ...JSON.parse(call.body.toString()), ...more })) };
}

/** Resolves when the provider has written so many pieces from now on. */
export async function written({ fake }: Pick<LeavingGateway, 'fake'>, pieces: number): Promise<void> {
  let last = fake.bytesWritten;
  for (let seen = 0; seen < pieces; ) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (fake.bytesWritten === last) continue;
    last = fake.bytesWritten;
    seen += 1;
  }
}

/** The newest record, once there are so many. */
export async function record({ manage }: Pick<MoneyGateway, 'manage'>, count: number): Promise<Row> {
  return vi.waitFor(
    async () => {
      const rows = rowsOf(await manage('GET', '/generations?limit=100'));
      expect(rows).toHaveLength(count);
      return rows[0] as Row;
    },
    { timeout: 8_000, interval: 10 },
  );
}
