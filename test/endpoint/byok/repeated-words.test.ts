/** Providers repeat what requests say, which may read as if a key were refused or an account empty. */
import { afterAll, describe, expect, it } from 'vitest';
import { launchPlatforms, PLATFORMS, type PlatformsGateway } from '../../support/platforms.js';
import { type Answer, bodyOf, recordOf } from '../../support/rest.js';

/** Words of refusals, as the providers have them: docs/providers/README.md#refused-keys-and-empty-accounts. */
const QUOTA = [
  'insufficient_quota: insufficient quota',
  'Insufficient Balance',
  'Your credit balance is too low to access the Anthropic API.',
  'You have reached your specified API usage limits.',
  'You exceeded your current quota, please check your plan and billing details.',
  'Your team t has either used all available credits or reached its monthly spending limit.',
  'Your prepayment credits are depleted.',
  'INVALID_PAYMENT_INSTRUMENT: A valid payment instrument must be provided.',
  'Out of call volume quota.',
];
const KEY = [
  'Incorrect API key provided: x.',
  'Invalid API key',
  'API key not valid. Please pass a valid API key.',
  'The API key you provided is invalid.',
];

/** Statuses that say nothing of the account. */
const REQUEST_STATUSES = [400, 404, 413, 422];

/** How providers repeat a text. */
const ECHOES: readonly ((words: string) => string)[] = [
  (words) => words,
  (words) => `messages.0.content: ${words} is not a valid value`,
  (words) => `Invalid value: '${words}'.`,
  (words) => words.toUpperCase(),
];

/** Where a request may say it. */
const PLACES: readonly ((words: string) => object)[] = [
  (words) => ({ messages: [{ role: 'user', content: `Why do I read "${words}"?` }] }),
  (words) => ({
    messages: [{ role: 'user', content: words.split(' ').map((text) => ({ type: 'text', text })) }],
  }),
  (words) => ({ messages: [{ role: 'user', content: 'Hi' }], stop: [words] }),
  (words) => ({
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', properties: { [words]: { type: 'string' } } } },
      },
    ],
  }),
];

/** All words in all places, each with an echo and a status: for every fourth `turn` the same, and in four of them every echo. */
function repetitions(turn: number) {
  return [...QUOTA, ...KEY].flatMap((words, index) =>
    PLACES.map((place, at) => ({
      words,
      place,
      echo: ECHOES[(turn + index + at) % ECHOES.length] as (typeof ECHOES)[number],
      status: REQUEST_STATUSES[(((turn + index) >> 2) + at) % REQUEST_STATUSES.length],
    })),
  );
}

function reasonOf(answer: Answer): string {
  const { metadata } = bodyOf(answer).error as { metadata?: { reason?: string } };
  return metadata?.reason ?? '';
}

const REASONS = /^upstream_(?:quota_exhausted|credential_refused)$/;

describe.each(['byok', 'shared'] as const)(
  'words of a request that a provider repeats, over %s',
  (capacity) => {
    let started: Promise<PlatformsGateway> | undefined;
    const launched = () => {
      started ??= launchPlatforms([{ name: 'm' }], capacity);
      return started;
    };
    afterAll(async () => (await started)?.stop());

    it.each(PLATFORMS.map((platform, turn) => ({ ...platform, platform, turn })))(
      'neither mark a key nor blame the account: $slug',
      async ({ platform, turn }) => {
        const gateway = await launched();
        const blamed: string[] = [];
        for (const { words, place, echo, status } of repetitions(turn)) {
          const message = echo(words);
          gateway.plan(platform, 'm', {
            status,
            body: { type: 'error', message, error: { type: 'invalid_request_error', message } },
          });
          const answer = await gateway.use('POST', '/chat/completions', {
            ...{ model: `${platform.slug}/m`, max_tokens: 9 },
            ...place(words),
          });
          const reason = reasonOf(answer);
          if (REASONS.test(reason) || answer.status === 200) {
            blamed.push(`${answer.status} ${status} place ${PLACES.indexOf(place)}: ${message}: ${reason}`);
          }
        }
        expect(blamed).toEqual([]);
        const id = gateway.keyIds.get(platform.slug);
        if (id !== undefined) {
          expect(recordOf(await gateway.manage('GET', `/byok/${id}`)).refusal).toBeNull();
        }
      },
    );

    it.each(PLATFORMS)('leave a rate limit what it is: $slug', async (platform) => {
      const gateway = await launched();
      for (const words of QUOTA) {
        gateway.plan(platform, 'm', { status: 429, body: { error: { message: `Slow down: ${words}` } } });
        const answer = await gateway.use('POST', '/chat/completions', {
          ...{ model: `${platform.slug}/m`, messages: [{ role: 'user', content: words }] },
        });
        expect(reasonOf(answer), words).not.toMatch(REASONS);
      }
    });
  },
);

describe('the provider’s own word', () => {
  let started: Promise<PlatformsGateway> | undefined;
  const launched = () => {
    started ??= launchPlatforms([{ name: 'm' }]);
    return started;
  };
  afterAll(async () => (await started)?.stop());
  const [openai] = PLATFORMS;

  it.each([
    [
      'a code',
      { status: 429, body: { error: { message: 'insufficient_quota', code: 'insufficient_quota' } } },
    ],
    ['a type', { status: 400, body: { error: { message: 'Arrearage', type: 'Arrearage' } } }],
    ['a status', { status: 402, body: { error: { message: 'Insufficient Balance' } } }],
  ])('counts, whatever the request says, where it is %s', async (_, plan) => {
    const gateway = await launched();
    if (openai === undefined) throw new Error('no platform');
    gateway.plan(openai, 'm', plan);
    const answer = await gateway.use('POST', '/chat/completions', {
      model: 'openai/m',
      messages: [{ role: 'user', content: `What is ${plan.body.error.message}?` }],
    });
    expect(reasonOf(answer)).toBe('upstream_quota_exhausted');
  });

  it.each(QUOTA.slice(1, 2))('counts where the request does not say it: %s', async (message) => {
    const gateway = await launched();
    if (openai === undefined) throw new Error('no platform');
    gateway.plan(openai, 'm', { status: 400, body: { error: { message } } });
    const answer = await gateway.use('POST', '/chat/completions', {
      ...{ model: 'openai/m', messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(reasonOf(answer)).toBe('upstream_quota_exhausted');
  });
});
