import { describe, expect, it } from 'vitest';
import type { FakePlan } from '../support/fakes/fake-openai/plan.js';
import { CASES, startProviders } from '../support/providers.js';
import { send } from '../support/rest.js';

const SECRET = 'cnry-header-4f1d';

/** Headers that providers send, and that a proxy in between may add. */
const THEIRS = {
  'x-goog-api-key': SECRET,
  authorization: `Bearer ${SECRET}`,
  'set-cookie': `session=${SECRET}`,
  'openai-organization': SECRET,
  'x-request-id': SECRET,
  'x-ratelimit-remaining-tokens': '1',
  'www-authenticate': `Bearer realm="${SECRET}"`,
  'access-control-allow-origin': `https://${SECRET}`,
  'x-powered-by': SECRET,
  server: SECRET,
  via: SECRET,
  'x-generation-id': SECRET,
  'cache-control': 'public, max-age=99',
  'strict-transport-security': 'max-age=99',
};

/** The allowed headers of an answer to a chat. */
const ALLOWED = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'retry-after',
  'transfer-encoding',
  'vary',
  'x-accel-buffering',
  'x-content-type-options',
  'x-frame-options',
  'x-generation-id',
  'x-request-id',
]);

const chunk = { id: 'c', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] };

const PLANS: readonly (readonly [string, FakePlan, number])[] = [
  ['an answer', {}, 200],
  ['a refusal', { status: 400, body: { error: { message: 'No' } } }, 400],
  ['a wrong key', { status: 401, body: {} }, 502],
  ['a rate limit', { status: 429, body: {} }, 429],
  ['an outage', { status: 500, body: '<html></html>' }, 502],
  ['a redirect', { status: 307, body: {} }, 502],
  ['an answer that breaks', { chunks: [chunk], isDoneMissing: true, answer: 'nonsense' }, 502],
];

describe.each(CASES)(
  'no header of a provider reaches the client, $mode over $capacity',
  ({ capacity, mode }) => {
    it('of answers, refusals, outages, redirects and answers that break', async () => {
      const gateway = await startProviders(capacity);
      for (const [name, plan, status] of PLANS) {
        for (const fake of [gateway.alpha, gateway.beta]) {
          fake.plan('m', { ...plan, headers: { ...THEIRS, location: `${fake.baseUrl}/${SECRET}` } });
        }
        const answer = await gateway.ask(mode);
        expect([200, status], name).toContain(answer.status);
        expect([name, ...Object.keys(answer.headers).filter((one) => !ALLOWED.has(one))]).toEqual([name]);
        const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
        expect([answer.headers['cache-control'], answer.headers['x-accel-buffering']]).toEqual(
          isStream ? ['no-store, no-transform', 'no'] : ['no-store', undefined],
        );
        const { headers, text } = await send(
          `${gateway.url}/byway.v1.ChatService/CreateChatCompletion`,
          'POST',
          {
            headers: { authorization: `Bearer ${gateway.apiKey}` },
            body: { chat: { model: 'test/m', messages: [{ role: 'user', content: 'Hi' }] } },
          },
        );
        const outputs = [JSON.stringify(answer), JSON.stringify(headers), text, ...gateway.log];
        expect(outputs.filter((one) => one.includes(SECRET))).toEqual([]);
      }
      // Redirects are never followed: their target is untrusted.
      expect(gateway.alpha.requests.every(({ path }) => path === '/v1/chat/completions')).toBe(true);
    });
  },
);
