import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chunksOf,
  launchPlatforms,
  PLATFORMS,
  type Platform,
  type PlatformsGateway,
} from '../../support/platforms.js';
import { type Answer, bodyOf, type Row } from '../../support/rest.js';
import {
  ATTEMPTS,
  filteredPlan,
  INVALID,
  PROVIDER_FAILURES,
  type ProviderFailure,
  TIMEOUT_MS,
} from './provider-failures.js';

const MESSAGES = [{ role: 'user', content: 'Hello there' }];
const CONTENT = 'Grüezi mitenand 👋🏽!';
const MANY_WORDS = Array.from({ length: 60 }, (_, index) => `word${index} `);

let gateway: PlatformsGateway;

/** The model that fails so; one that rests after its first failure is used once. */
function nameOf({ name }: ProviderFailure, position: number, use: unknown, stream: boolean): string {
  return name === '429' ? `${name}-${position}-${use}-${stream}`.replaceAll(' ', '-') : `${name}-${position}`;
}

/** Positions of the last failure of a plan. */
const USES: readonly unknown[] = ATTEMPTS;

beforeAll(async () => {
  const failing = PROVIDER_FAILURES.flatMap((failure) =>
    ATTEMPTS.flatMap((position) =>
      [...USES, 'in a plan over all'].flatMap((use) =>
        [false, true].map((stream) => ({
          name: nameOf(failure, position, use, stream),
          plan: (platform: Platform) => failure.plan(platform, position),
        })),
      ),
    ),
  );
  const breaks = {
    truncated: { endAfterBytes: 4000 },
    reset: { cutAfterBytes: 4000 },
    timeout: { stallAfter: 20 },
  };
  const broken = Object.entries(breaks).map(([error, plan]) => ({
    name: `broken-${error}`,
    plan: () => ({ words: MANY_WORDS, ...plan }),
  }));
  const filtered = { name: 'filtered', plan: filteredPlan };
  gateway = await launchPlatforms([...unique(failing), ...broken, filtered, { name: 'sound' }]);
});
afterAll(() => gateway.stop());

function unique<T extends { readonly name: string }>(models: readonly T[]): T[] {
  return [...new Map(models.map((model) => [model.name, model])).values()];
}

/** One request for these models of the platform, one attempt each. */
function ask(
  platform: Platform,
  names: readonly string[],
  stream: boolean,
  isInHaste = false,
): Promise<Answer> {
  return gateway.use('POST', '/chat/completions', {
    models: names.map((name) => `${platform.slug}/${name}`),
    messages: MESSAGES,
    ...(isInHaste && {
      provider: { timeouts_ms: { first_byte: TIMEOUT_MS, first_token: TIMEOUT_MS, idle: TIMEOUT_MS } },
    }),
    ...(stream && { stream }),
  });
}

/** The attempts in the record of the answer's generation. */
async function attemptsOf(answer: Answer): Promise<Row & { readonly tried: unknown }> {
  const path = `/generation?id=${answer.headers['x-generation-id']}`;
  const record = bodyOf(await gateway.use('GET', path)).data as Row;
  return { ...record, tried: tried(record) };
}

function tried({ provider_responses }: Row): unknown {
  return (provider_responses as Row[]).map(({ status, error, is_byok }) => [status, error, is_byok]);
}

/** The outcome of a plan whose attempts up to this position fail. */
async function outcome(
  platform: Platform,
  failure: ProviderFailure,
  last: number,
  stream: boolean,
): Promise<object> {
  const failing = ATTEMPTS.slice(0, last + 1).map((position) => nameOf(failure, position, last, stream));
  const answer = await ask(platform, last === 2 ? failing : [...failing, 'sound'], stream, failure.isInHaste);
  if (answer.status !== 200) {
    const { message, metadata } = bodyOf(answer).error as { message: string; metadata: Row };
    const { reason } = metadata;
    const retryAfter = answer.headers['retry-after'];
    const text = answer.status === 400 && { message };
    return {
      status: answer.status,
      reason,
      tried: tried(metadata),
      ...text,
      ...(retryAfter && { retryAfter }),
    };
  }
  return { text: contentIn(answer, stream), tried: (await attemptsOf(answer)).tried };
}

function contentIn(answer: Answer, stream: boolean): unknown {
  if (!stream) return (bodyOf(answer).choices as { message: Row }[])[0]?.message.content;
  const { chunks, isDone } = chunksOf(answer);
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  return isDone ? text : `${text} [without an end]`;
}

function expected(platform: Platform, failure: ProviderFailure, last: number, stream: boolean): object {
  const failed = [...failure.recorded(platform, stream), true];
  const failures = ATTEMPTS.slice(0, last + 1).map(() => failed);
  if (last < 2) return { text: CONTENT, tried: [...failures, [200, null, true]] };
  const message = failure.whenAllFail.status === 400 && { message: INVALID };
  return { ...failure.whenAllFail, ...message, tried: failures };
}

const CASES = PLATFORMS.flatMap((platform) =>
  ATTEMPTS.flatMap((last) => [false, true].map((stream) => ({ platform, last, stream }))),
);

/** Runs every plan with these failures concurrently. */
async function expectOutcomes(failures: readonly ProviderFailure[]): Promise<void> {
  const all = failures.flatMap((failure) => CASES.map((one) => ({ ...one, failure })));
  // An answer in one piece has no timeout but the total, after which there is no further attempt.
  const cases = all.filter(({ stream, failure }) => stream || !failure.isInHaste);
  const outcomes = await Promise.all(
    cases.map(({ platform, failure, last, stream }) => outcome(platform, failure, last, stream)),
  );
  const named = (of: readonly object[]) =>
    of.map((one, index) => {
      const { platform, failure, last, stream } = cases[index] ?? {};
      return { platform: platform?.slug, failure: failure?.name, last, stream, ...one };
    });
  const expectedOutcomes = cases.map(({ platform, failure, last, stream }) =>
    expected(platform, failure, last, stream),
  );
  expect(named(outcomes)).toEqual(named(expectedOutcomes));
}

describe('a failure at any position of a plan, at every platform, streamed or not', () => {
  it.each(PROVIDER_FAILURES.filter(({ isInHaste }) => !isInHaste))(
    '$name: the next attempt serves; after the last the caller gets the error',
    (failure) => expectOutcomes([failure]),
  );

  it('timeouts of the first byte and of the first token of streams: the same', () =>
    expectOutcomes(PROVIDER_FAILURES.filter(({ isInHaste }) => isInHaste)));
});

/** Ways in which streams break off after content, and the number of failed attempts before. */
const BROKEN = [
  ...ATTEMPTS.map((position) => ['truncated', position] as const),
  ['reset', 0],
  ['timeout', 0],
] as const;

describe('a stream that breaks off after content, at every platform', () => {
  it.each(BROKEN)(
    '%s at position %i: an error chunk, no [DONE], what was produced is billed',
    async (error, position) => {
      const failing = ATTEMPTS.slice(0, position).map((before) => `500-${before}`);
      const outcomes = PLATFORMS.map(async (platform) => {
        const answer = await ask(
          platform,
          [...failing, `broken-${error}`, 'sound'],
          true,
          error === 'timeout',
        );
        const { chunks, isDone } = chunksOf(answer);
        const last = chunks.at(-1);
        const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
        const { tried, tokens_completion, upstream_inference_cost, finish_reason } = await attemptsOf(answer);
        return {
          platform: platform.slug,
          isDone,
          tried,
          finish_reason,
          begun: MANY_WORDS.join('').startsWith(text) && text.length > 0,
          end: [last?.error?.code, last?.choices[0]?.finish_reason, last?.usage],
          isBilled: tokens_completion === Math.ceil(text.length / 4) && Number(upstream_inference_cost) > 0,
        };
      });
      const expectedOutcomes = PLATFORMS.map(({ slug }) => ({
        platform: slug,
        isDone: false,
        finish_reason: 'error',
        begun: true,
        isBilled: true,
        tried: [...failing.map(() => [500, null, true]), [200, error, true]],
        end: [502, 'error', undefined],
      }));
      expect(await Promise.all(outcomes)).toEqual(expectedOutcomes);
    },
  );
});

describe('a plan over all platforms', () => {
  it.each([false, true])('each is tried in order, with its own key, streamed: %s', async (stream) => {
    const models = PLATFORMS.map(({ slug }, index) => {
      const failure = PROVIDER_FAILURES[index % 5];
      return `${slug}/${failure && nameOf(failure, 0, 'in a plan over all', stream)}`;
    });
    const body = { models: [...models, 'vertex-claude/sound'], messages: MESSAGES, stream };
    const answer = await gateway.use('POST', '/chat/completions', body);
    expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
    expect(contentIn(answer, stream)).toBe(CONTENT);
    const { provider_responses } = await attemptsOf(answer);
    const recorded = (provider_responses as Row[]).map((one) => [one.provider, one.status, one.byok_key_id]);
    const failed = PLATFORMS.map(({ slug }, index) => [
      slug,
      Number(PROVIDER_FAILURES[index % 5]?.name),
      gateway.keyIds.get(slug),
    ]);
    expect(recorded).toEqual([...failed, ['vertex-claude', 200, gateway.keyIds.get('vertex-claude')]]);
  });
});

describe('a content filter', () => {
  it.each(PLATFORMS)(
    '$slug: ends the plan with 400, or is the answer where the platform reports it as one',
    async (platform) => {
      const isAnswer = /anthropic|claude|bedrock/.test(platform.slug);
      for (const stream of [false, true]) {
        const answer = await ask(platform, ['filtered', 'sound'], stream);
        if (isAnswer) {
          const { tried, finish_reason } = await attemptsOf(answer);
          expect({ tried, finish_reason }).toEqual({
            tried: [[200, null, true]],
            finish_reason: 'content_filter',
          });
          continue;
        }
        expect(answer.status).toBe(400);
        const { metadata } = bodyOf(answer).error as { metadata: Row };
        expect([metadata.reason, (metadata.provider_responses as Row[]).length]).toEqual([
          'content_filter',
          1,
        ]);
      }
    },
  );
});

describe('the circuit breaker after failures', () => {
  it.each(PLATFORMS)(
    '$slug: repeated failures cool the endpoint, invalid requests do not',
    async (platform) => {
      const health = async (name: string) => {
        for (let times = 0; times < 3; times += 1) await ask(platform, [name], false);
        const model = `${platform.slug}/${name}`;
        const { data } = bodyOf(await gateway.use('POST', '/routing/explain', { model }));
        return (data as { attempts: { health: Row }[] }).attempts[0]?.health.state;
      };
      const names = ['500-0', 'reset-0', '401-0', '403-0', '400-0'];
      const healths = await Promise.all(names.map(health));
      expect(healths).toEqual(['cooling', 'cooling', 'cooling', 'cooling', 'ok']);
    },
  );
});
