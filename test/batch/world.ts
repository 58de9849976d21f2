/** A gateway with a fake Google Vertex AI, and the calls of batches. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { demoModel, demoProvider } from '../support/catalog.js';
import { type FakeGoogle, startFakeGoogle } from '../support/fakes/fake-google-storage.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { type Answer, type Call, caller, type Row, recordOf } from '../support/rest.js';

export const GEMINI = 'google/gemini-2.5-flash';
/** A model with optional reasoning, and one that always reasons. */
export const REASONER = 'google/gemini-2.5-flash-lite';
export const MANDATORY = 'google/gemini-2.5-pro-thinking';
export const CLAUDE = 'anthropic/claude-haiku-4.5';

/** Models of both publishers at Vertex AI, and one that it does not serve. */
export function batchCatalog(origin: string, more: object = {}) {
  const at = (upstream_model_id: string) => [{ provider: 'google-vertex', upstream_model_id }];
  return {
    providers: [
      {
        slug: 'google-vertex',
        name: 'Google Vertex AI',
        adapter: 'google-vertex',
        base_url: origin,
        ...more,
      },
      demoProvider('a'),
    ],
    models: [
      demoModel(GEMINI, at('gemini-2.5-flash'), { context_length: 1_048_576 }),
      demoModel(CLAUDE, at('claude-haiku-4-5@20251001')),
      demoModel('meta/llama-4', at('meta/llama-4-maas')),
      demoModel('google/gemini-2.5-pro', [...at('gemini-2.5-pro'), 'a']),
      demoModel(REASONER, at('gemini-2.5-flash-lite'), { reasoning: reasoning(false) }),
      demoModel(MANDATORY, at('gemini-2.5-pro'), { reasoning: reasoning(true) }),
      demoModel('test/m1', ['a']),
    ],
  };
}

function reasoning(mandatory: boolean) {
  return { mandatory, supports_max_tokens: true };
}

export interface BatchWorld {
  readonly google: FakeGoogle;
  readonly gateway: TestGateway;
  readonly manage: Call;
  /** Stores a key of the fake's account; `more` overrides members of its credential. */
  store(more?: object, members?: object): Promise<Row>;
  submit(body?: object): Promise<Answer>;
  /** Polls until the batch has ended, and returns its record. */
  ended(id: unknown): Promise<Row>;
  results(id: unknown): Promise<Row[]>;
}

/** Stops with the test. */
export async function startBatchWorld(
  options: {
    readonly credits?: bigint;
    readonly provider?: object;
    readonly models?: readonly object[];
    readonly env?: NodeJS.ProcessEnv;
  } = {},
): Promise<BatchWorld> {
  const google = await startFakeGoogle();
  onTestFinished(() => google.stop());
  const { providers, models } = batchCatalog(google.origin, options.provider);
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', BYWAY_ADMIN_RATE_PER_MINUTE: '0', ...options.env },
    catalog: { providers, models: [...models, ...(options.models ?? [])] },
    ...(options.credits !== undefined && { credits: options.credits }),
  });
  const manage = caller(gateway, gateway.managementKey);
  return {
    google,
    gateway,
    manage,
    async store(more = {}, members = {}) {
      const key = google.serviceAccount(more);
      return recordOf(await manage('POST', '/byok', { provider: 'google-vertex', key, ...members }));
    },
    submit: (body = {}) => manage('POST', '/batches', { model: GEMINI, requests: [request('one')], ...body }),
    ended: (id) => endedBatch(manage, id),
    async results(id) {
      const answer = await manage('GET', `/batches/${id}/results`);
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      expect(answer.headers['content-type']).toBe('application/jsonl');
      return answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
  };
}

/** Calls that the fake received, like `POST /storage/v1/b`, without queries. */
export function callsOf({ google }: Pick<BatchWorld, 'google'>): string[] {
  return google.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
}

export function request(custom_id: string, content = 'Hello there', more: object = {}): object {
  return { custom_id, body: { messages: [{ role: 'user', content }], ...more } };
}

/** A request that the fake's models reject. */
export function badRequest(custom_id: string): object {
  return request(custom_id, 'This cannot be answered');
}

/** Below the rate limit of administrative calls. */
const POLL_MS = 50;

/** Polls until the batch has ended. */
export async function endedBatch(manage: Call, id: unknown): Promise<Row> {
  for (;;) {
    const record = recordOf(await manage('GET', `/batches/${id}`));
    if (['completed', 'failed', 'cancelled'].includes(String(record.status))) return record;
    await sleep(POLL_MS);
  }
}
