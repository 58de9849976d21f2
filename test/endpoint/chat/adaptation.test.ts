import { describe, expect, it } from 'vitest';
import { clockAt } from '../../support/clock.js';
import { FAKE_API_KEY, type FakeOpenAi } from '../../support/fakes/fake-openai.js';
import { readExposition, sampleValue } from '../../support/prometheus.js';
import {
  addKey,
  expectAnswerFrom,
  generation,
  type Heard,
  MODES,
  type ProvidersGateway,
  startProviders,
} from '../../support/providers.js';
import type { Row } from '../../support/rest.js';

/** Of each request, the members that the tests are about. */
function sentTo(fake: FakeOpenAi): unknown[] {
  return fake.requests.map(({ text }) => {
    const { top_k, store, max_tokens, max_completion_tokens } = JSON.parse(text);
    return { top_k, store, max_tokens, max_completion_tokens };
  });
}

/** Of each request, which of the members it had. */
function sentOf(fake: FakeOpenAi, members: readonly string[]): string[][] {
  return fake.requests.map(({ text }) => members.filter((name) => name in JSON.parse(text)));
}

async function adapted(gateway: ProvidersGateway, heard: Pick<Heard, 'id'>): Promise<unknown[]> {
  const { provider_responses } = await generation(gateway, heard);
  return (provider_responses as Row[]).map(({ status, adapted }) => [status, adapted]);
}

describe('a refusal that names an unsupported member', () => {
  it.each(MODES)(
    'is answered without it, once more on the same attempt, and remembered: %s',
    async (mode) => {
      const gateway = await startProviders('shared capacity');
      const first = await gateway.ask(mode, { top_k: 5 });
      expectAnswerFrom(first, 'alpha');
      expect(sentTo(gateway.alpha)).toEqual([{ top_k: 5 }, {}]);
      expect(await adapted(gateway, first)).toEqual([[200, ['top_k']]]);
      const second = await gateway.ask(mode, { top_k: 5 });
      expectAnswerFrom(second, 'alpha');
      expect(sentTo(gateway.alpha).slice(2)).toEqual([{}]);
      expect(await adapted(gateway, second)).toEqual([[200, ['top_k']]]);
      expect(await adapted(gateway, await gateway.ask(mode))).toEqual([[200, null]]);
      expect(gateway.beta.requests).toEqual([]);
      const { url, operatorKey } = gateway;
      const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${operatorKey}` } });
      const families = readExposition(await answer.text());
      const labels = { provider: 'alpha', member: 'top_k' };
      expect(sampleValue(families, 'byway_adapted_attempts_total', labels)).toBe(2);
    },
  );

  it('is answered with the other spelling of a limit of tokens', async () => {
    const gateway = await startProviders('shared capacity');
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    gateway.alpha.plan('m', { status: 400, body: { error: { message, param: 'max_tokens' } } }, {});
    expectAnswerFrom(await gateway.ask('in one piece', { max_tokens: 50 }), 'alpha');
    expect(sentTo(gateway.alpha)).toEqual([{ max_tokens: 50 }, { max_completion_tokens: 50 }]);
  });

  it.each([
    ['adapt is false', 'shared capacity', { top_k: 5, provider: { adapt: false } }],
    ['adapt is false', 'BYOK keys', { top_k: 5, provider: { adapt: false } }],
    ['a request can’t do without it', 'BYOK keys', { store: true, top_k: undefined }],
  ] as const)('stays a refusal where %s, over %s', async (_, capacity, more) => {
    const gateway = await startProviders(capacity);
    const refusal = {
      status: 400,
      body: { error: { message: 'Unrecognized request argument supplied: store' } },
    };
    if ('store' in more) for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', refusal);
    const heard = await gateway.ask('in one piece', more);
    expect([heard.status, heard.error?.message]).toEqual([
      400,
      expect.stringMatching(/^Unrecognized request argument supplied/),
    ]);
    expect([gateway.alpha.requests.length, gateway.beta.requests.length]).toEqual([1, 1]);
    expect(await adapted(gateway, heard)).toEqual([
      [400, null],
      [400, null],
    ]);
  });

  it('stays a refusal with require_parameters', async () => {
    const gateway = await startProviders('shared capacity');
    const message = "Unsupported value: 'temperature' does not support 0.2 with this model.";
    gateway.alpha.plan('m', { status: 400, body: { error: { message } } });
    const more = { temperature: 0.2, provider: { require_parameters: true } };
    expectAnswerFrom(await gateway.ask('in one piece', more), 'beta');
    expect(gateway.alpha.requests).toHaveLength(1);
  });

  it('is made only once more, and what did not help is not remembered', async () => {
    const gateway = await startProviders('shared capacity');
    const message = "Unsupported value: 'temperature' does not support 0.2 with this model.";
    gateway.alpha.plan('m', { status: 400, body: { error: { message } } });
    for (const count of [2, 4]) {
      expectAnswerFrom(await gateway.ask('in one piece', { temperature: 0.2 }), 'beta');
      expect(gateway.alpha.requests).toHaveLength(count);
    }
  });

  it('of several members one after the other is answered without all of them, each remembered', async () => {
    const gateway = await startProviders('shared capacity');
    const message = "Unsupported parameter: 'seed' is not supported with this model.";
    // It refuses top_k by itself, before what is planned.
    gateway.alpha.plan('m', { status: 400, body: { error: { message } } }, {});
    const members = () => sentOf(gateway.alpha, ['top_k', 'seed']);
    const first = await gateway.ask('in one piece', { top_k: 5, seed: 7 });
    expectAnswerFrom(first, 'alpha');
    expect(members()).toEqual([['top_k', 'seed'], ['seed'], []]);
    expect(await adapted(gateway, first)).toEqual([[200, ['top_k', 'seed']]]);
    expectAnswerFrom(await gateway.ask('in one piece', { top_k: 5, seed: 7 }), 'alpha');
    expect(members().slice(3)).toEqual([[]]);
  });

  it('of several members at once is answered without them, of which it only learns what went by itself', async () => {
    const gateway = await startProviders('shared capacity');
    const named = (names: string) => ({
      status: 400,
      body: { error: { message: `Model incompatible request arguments supplied: ${names}` } },
    });
    const more = { temperature: 0.2, top_p: 0.9, seed: 7 };
    const members = () => sentOf(gateway.alpha, Object.keys(more));
    gateway.alpha.plan('m', named('temperature, top_p, seed'), named('top_p, seed'), {});
    expectAnswerFrom(await gateway.ask('in one piece', more), 'alpha');
    expect(members()).toEqual([['temperature', 'top_p', 'seed'], ['top_p', 'seed'], []]);
    gateway.alpha.plan('m', {});
    expectAnswerFrom(await gateway.ask('in one piece', more), 'alpha');
    expect(members().slice(3)).toEqual([['top_p', 'seed']]);
  });

  it('is remembered for an hour, and for the credential alone', async () => {
    const clock = clockAt(Date.UTC(2026, 0, 5));
    const gateway = await startProviders(null, { clock });
    const id = await addKey(gateway, 'alpha', FAKE_API_KEY);
    const requestsFor = async () => {
      const before = gateway.alpha.requests.length;
      expectAnswerFrom(await gateway.ask('in one piece', { top_k: 5 }), 'alpha');
      return gateway.alpha.requests.length - before;
    };
    expect([await requestsFor(), await requestsFor()]).toEqual([2, 1]);
    clock.set(Date.UTC(2026, 0, 5, 0, 59));
    expect(await requestsFor()).toBe(1);
    clock.set(Date.UTC(2026, 0, 5, 1, 1));
    expect(await requestsFor()).toBe(2);
    await gateway.manage('PATCH', `/byok/${id}`, { disabled: true });
    await addKey(gateway, 'alpha', FAKE_API_KEY);
    expect(await requestsFor()).toBe(2);
  });
});
