/** A gateway in front of a host that spells its answers as a test says. */
import { afterAll, beforeAll } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { FAKE_API_KEY, type FakeOpenAi, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { launchGateway } from '../../support/gateway.js';
import { type Call, caller, recordOf } from '../../support/rest.js';

export const MESSAGES = [{ role: 'user', content: 'Hello there' }];

/** Asks a model of the host that answers so; `test/mended` is one whose quirks are in the catalogue. */
export type AskHost = (plan: FakePlan, more?: object, path?: string) => ReturnType<Call>;

/** For all tests of a file. */
export function hostForAll(): AskHost {
  let gateway: Awaited<ReturnType<typeof launchGateway>>;
  let fake: FakeOpenAi;
  let use: Call;
  let stopFake = async () => {};
  beforeAll(async () => {
    fake = await startFakeOpenAi((end) => {
      stopFake = end;
    });
    const provider = { adapter: 'openai', base_url: fake.baseUrl };
    const mended = { cached_tokens: 'beside', finish_reasons: { halted: 'content_filter', broke: 'error' } };
    gateway = await launchGateway({
      env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
      catalog: {
        providers: [
          { ...provider, slug: 'host', name: 'Host' },
          { ...provider, slug: 'mended', name: 'Mended', quirks: mended },
        ],
        models: ['host', 'mended'].map((slug) =>
          demoModel(`test/${slug}`, [{ provider: slug, upstream_model_id: 'm' }], {
            context_length: 1_000_000,
          }),
        ),
      },
    });
    const manage = caller(gateway, gateway.managementKey);
    for (const slug of ['host', 'mended']) {
      recordOf(await manage('POST', '/byok', { provider: slug, key: FAKE_API_KEY }));
    }
    use = caller(gateway, gateway.apiKey);
  });
  afterAll(async () => {
    await gateway.stop();
    await stopFake();
  });
  return async (plan, more = {}, path = '/chat/completions') => {
    fake.plan('m', plan);
    return use('POST', path, { model: 'test/host', messages: MESSAGES, ...more });
  };
}

/** The chunks of a stream with these deltas and this end. */
export function streamOf(deltas: readonly object[], reason: string | null = 'tool_calls'): FakePlan {
  const chunk = (delta: object, finish_reason: string | null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const end = reason === null ? [] : [chunk({}, reason)];
  return { chunks: [...deltas.map((delta) => chunk(delta, null)), ...end] };
}

/** An answer in one piece with this message. */
export const wholeOf = (
  message: object,
  finish_reason: string | null = 'stop',
  more: object = {},
): FakePlan => ({
  answer: { choices: [{ index: 0, message, finish_reason }], ...more },
});
