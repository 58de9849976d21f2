import { describe, expect, it } from 'vitest';
import { clockAt } from '../support/clock.js';
import type { FakePlan } from '../support/fakes/fake-openai/plan.js';
import { expectSettled, keyRecord } from '../support/money.js';
import {
  attempts,
  CAPACITIES,
  CONTENT,
  expectAnswerFrom,
  generation,
  hear,
  type ProvidersGateway,
  startProviders,
  TOKEN_USD,
} from '../support/providers.js';
import { send } from '../support/rest.js';
import { waitFor } from '../support/wait-for.js';

/** 60 tokens by the estimate too: four characters each. */
const SIXTY = Array.from({ length: 60 }, (_, index) => String(index).padStart(4, '.'));
const FORTY = SIXTY.slice(0, 40);

const LIMITED = { message: 'Slow down', code: 429 };

/** A chunk with this content. */
function chunk(content: string): object {
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return { ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] };
}

const forty = FORTY.map(chunk);

/** Bytes of the first 40 tokens of a stream, including the chunk with the role. */
const CUT: FakePlan = { chunks: forty, isDoneMissing: true, cutAfterBytes: 1e6 };

/** Open streams and requests of the gateway, by its own metrics. */
async function open({ url, operatorKey }: ProvidersGateway): Promise<(string | undefined)[]> {
  const headers = { authorization: `Bearer ${operatorKey}` };
  const { text } = await send(`${url}/metrics`, 'GET', { headers });
  // The request for the metrics is in flight itself.
  return ['byway_open_streams', 'byway_http_requests_in_flight'].map(
    (name) => new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1],
  );
}

/** Streams that end too soon, and how their attempt is recorded. */
const BREAKS: readonly (readonly [string, FakePlan, string])[] = [
  ['cut after 40 of 60 tokens', CUT, '200 reset'],
  ['ended after 40 of 60 tokens', { chunks: forty, isDoneMissing: true }, '200 truncated'],
  ['stalled after 40 of 60 tokens (idle timeout)', { words: SIXTY, stallAfter: 41 }, '200 timeout'],
  ['a malformed chunk after 40 tokens', { chunks: [...forty, '{"choices":[{'] }, '200 malformed'],
  ['429 in the middle', { chunks: [...forty, { error: LIMITED }] }, '429 null'],
];

/** Unusual streams that count as complete. */
const ENDS: readonly FakePlan[] = [
  { isDoneMissing: true },
  { isDoneMissing: true, isLeftOpen: true },
  {
    chunks: [
      ...['Grüezi', ' mitenand', ' 👋🏽', '!'].map(chunk),
      { choices: [], usage: { completion_tokens: 4 } },
    ],
  },
];

describe.each(CAPACITIES)('fault table: a stream that has begun, over %s', (capacity) => {
  const env = { BYWAY_IDLE_TIMEOUT_MS: '700' };

  it('and breaks, stalls, or reports an error: an error chunk, no [DONE], what was produced is billed', async () => {
    const clock = clockAt('2026-03-04T12:00:00Z');
    const gateway = await startProviders(capacity, { clock, env });
    for (const [name, plan, failed] of BREAKS) {
      gateway.alpha.plan('m', plan);
      const answer = await gateway.ask('streamed');
      expect(answer, name).toMatchObject({
        status: 200,
        content: FORTY.join(''),
        finishReason: 'error',
        isDone: false,
        usage: null,
        error: { code: 502, message: expect.stringMatching(/./) },
      });
      expect([name, ...(await attempts(gateway, answer))]).toEqual([name, `alpha ${failed}`]);
      expect(await generation(gateway, answer)).toMatchObject({
        finish_reason: 'error',
        tokens_completion: 40,
      });
      clock.advance(60_000);
    }
    const spent = Number((BREAKS.length * 40 * TOKEN_USD.alpha).toFixed(9));
    expect(await keyRecord(gateway)).toMatchObject(
      capacity === 'BYOK keys' ? { usage: 0, byok_usage: spent } : { usage: spent, byok_usage: 0 },
    );
    // Nothing is retried, and nothing is left running.
    expect([gateway.alpha.requests.length, gateway.beta.requests.length]).toEqual([BREAKS.length, 0]);
    await waitFor(async () => expect(await open(gateway)).toEqual(['0', '1']));
    await expectSettled(gateway);
  });

  it('and ends without [DONE], or by [DONE] without a finish reason, is complete, with its usage', async () => {
    const gateway = await startProviders(capacity, { env });
    for (const plan of ENDS) {
      gateway.alpha.plan('m', plan);
      expectAnswerFrom(await gateway.ask('streamed'), 'alpha');
    }
    await expectSettled(gateway);
  });
});

/** The chunk, with the provider's usage up to here. */
const counted = (piece: object, completion_tokens: number) => ({
  ...piece,
  usage: { prompt_tokens: 3, completion_tokens, total_tokens: 3 + completion_tokens },
});

it.each([
  ['before the text', [counted(chunk(''), 0), ...forty], 40],
  ['in the middle of it', forty.map((piece, index) => (index === 29 ? counted(piece, 60) : piece)), 70],
  ['with each piece', forty.map((piece, index) => counted(piece, 2 * (index + 1))), 80],
])(
  'a stream that breaks is billed by its usage %s, and by the estimate for what came later',
  async (_, chunks, tokens) => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { chunks, isDoneMissing: true });
    const answer = await gateway.ask('streamed');
    expect(answer).toMatchObject({ content: FORTY.join(''), finishReason: 'error' });
    expect(await generation(gateway, answer)).toMatchObject({
      tokens_prompt: 3,
      tokens_completion: tokens,
      usage: Number((tokens * TOKEN_USD.alpha).toFixed(9)),
    });
  },
);

it('fault table: a malformed chunk harms neither the process nor other streams', async () => {
  const gateway = await startProviders('shared capacity');
  gateway.alpha.plan('m', { words: SIXTY, splitBytes: 7 });
  gateway.alpha.plan('n', { chunks: [...forty, '{"choices":[{'] });
  const calls = ['test/m', 'test/n', 'test/m', 'test/n', 'test/m'].map(async (model) =>
    hear(await gateway.chat(model, { stream: true })),
  );
  const answer = await Promise.all(calls);
  expect(answer.map(({ isDone }) => isDone)).toEqual([true, false, true, false, true]);
  for (const { isDone, content } of answer) expect(content).toBe((isDone ? SIXTY : FORTY).join(''));
  gateway.alpha.plan('m', {});
  expect(await gateway.ask('in one piece')).toMatchObject({ status: 200, content: CONTENT });
  await expectSettled(gateway);
});

it.each<[string, FakePlan]>([
  ['cut in the middle', { cutAfterBytes: 100 }],
  ['ended in the middle', { endAfterBytes: 100 }],
])('fault table: an answer in one piece that is %s is not shown: the next one serves', async (_, plan) => {
  const gateway = await startProviders('shared capacity');
  gateway.alpha.plan('m', plan);
  const answer = await gateway.ask('in one piece');
  expectAnswerFrom(answer, 'beta');
  expect(await keyRecord(gateway)).toMatchObject({ usage: answer.usage?.cost });
});
