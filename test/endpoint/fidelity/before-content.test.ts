import { describe, expect, it } from 'vitest';
import { CONTENT, expectAnswerFrom, generation, startProviders } from '../../support/providers.js';
import { type Row, rowsOf } from '../../support/rest.js';
import { waitFor } from '../../support/wait-for.js';
import { onPlatforms } from './platform.js';

const thought = { choices: [{ index: 0, delta: { role: 'assistant', reasoning_content: 'Hm, well.' } }] };
const EXCLUDED = { reasoning: { exclude: true } };

describe('F5: a provider that dies after reasoning that is not shown', () => {
  it('sends nothing to the client, and the next attempt takes over', async () => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { chunks: [thought], isDoneMissing: true });
    const heard = await gateway.ask('streamed', EXCLUDED);
    expectAnswerFrom(heard, 'beta');
    expect(heard.text).not.toContain('alpha');
    expect(await generation(gateway, heard)).toMatchObject({
      provider: 'beta',
      tokens_completion: 4,
      provider_responses: [
        { provider: 'alpha', error: 'truncated' },
        { provider: 'beta', error: null },
      ],
    });
  });

  it('ends with an error where the client has seen the reasoning', async () => {
    const gateway = await startProviders('shared capacity');
    gateway.alpha.plan('m', { chunks: [thought], isDoneMissing: true });
    expect(await gateway.ask('streamed')).toMatchObject({ error: { code: 502 }, isDone: false });
  });

  it('is idle when it falls silent, but its reasoning was a first token', async () => {
    const gateway = await startProviders('shared capacity', {
      env: { BYWAY_IDLE_TIMEOUT_MS: '800', BYWAY_FIRST_TOKEN_TIMEOUT_MS: '400' },
    });
    const content = { choices: [{ index: 0, delta: { content: CONTENT }, finish_reason: 'stop' }] };
    gateway.alpha.plan('m', { chunks: [...Array(12).fill(thought), content], paceMs: 50 });
    expect(await gateway.ask('streamed', EXCLUDED)).toMatchObject({ content: CONTENT, provider: 'alpha' });
    gateway.alpha.plan('m', { chunks: [thought], stallAfter: 1 });
    expectAnswerFrom(await gateway.ask('streamed', EXCLUDED), 'beta');
  });
});

describe('F6: a request that the client cancels before the first content', () => {
  const { gateway, plan } = onPlatforms();

  it.each([
    ['as the provider has counted', 'anthropic', { usage: { input_tokens: 8_000 }, stallAfter: 1 }, 8_000],
    ['as it was reserved where it has told nothing', 'openai', { stallAfter: 1 }, 42],
  ])('is billed once the provider has accepted it, %s', async (_, slug, stalling, tokens) => {
    plan(slug, stalling);
    expect(await cancelled(slug, true)).toMatchObject({
      cancelled: true,
      provider: slug,
      tokens_prompt: tokens,
      tokens_completion: 0,
      finish_reason: null,
      upstream_inference_cost: expect.toSatisfy((cost: number) => cost > 0),
      provider_responses: [{ provider: slug, status: 200, error: 'cancelled' }],
    });
  });

  it('costs nothing where the provider had not answered yet, streamed or not', async () => {
    plan('openai', { delayMs: 60_000 });
    for (const stream of [true, false]) {
      expect(await cancelled('openai', stream)).toMatchObject({
        cancelled: true,
        provider: null,
        tokens_prompt: 0,
        upstream_inference_cost: null,
        provider_responses: [{ status: null, error: 'cancelled' }],
      });
    }
  });

  it('an answer in one piece is billed too, whose head has come', async () => {
    plan('openai', { stallAfter: 0 });
    expect(await cancelled('openai', false)).toMatchObject({ provider: 'openai', tokens_prompt: 42 });
  });

  /** The record of a request whose client leaves once the provider has got it. */
  async function cancelled(slug: string, stream: boolean): Promise<Row> {
    const { rest, apiKey, fakes, manage } = gateway();
    const { requests } = slug === 'openai' ? fakes.openai : fakes.anthropic;
    const [before, listed] = [requests.length, rowsOf(await manage('GET', '/generations')).length];
    const leaving = new AbortController();
    const asked = fetch(`${rest}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `${slug}/m`,
        messages: [{ role: 'user', content: 'Hello there' }],
        stream,
      }),
      signal: leaving.signal,
    }).catch(() => undefined);
    await waitFor(() => expect(requests).toHaveLength(before + 1));
    // What the fake sends at once has come by now.
    await new Promise((resolve) => setTimeout(resolve, 300));
    leaving.abort();
    await asked;
    return waitFor(async () => {
      const rows = rowsOf(await manage('GET', '/generations'));
      expect(rows).toHaveLength(listed + 1);
      return rows[0] as Row;
    });
  }
});
