import { describe, expect, it, vi } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { setLimit } from '../../support/limits.js';
import { expectSettled, keyRecord, mustSucceed, startMoneyGateway } from '../../support/money.js';
import { share } from '../../support/providers.js';

const MAX_TOKENS = 100;
const PROMPT_USD = 0.000_01;
const COMPLETION_USD = 0.0001;
const ANSWER_NANO_USD = MAX_TOKENS * COMPLETION_USD * 1e9;

/** Which hosts add for who says it. */
const TOKENS_A_MESSAGE = 4;

interface Message {
  readonly role: string;
  readonly content: string;
}

/** A gateway over a host whose prompts have a price. */
async function start() {
  const host = await startFakeOpenAi();
  const gateway = await startMoneyGateway({
    providers: [{ slug: 'host', name: 'Host', adapter: 'openai', base_url: host.baseUrl }],
    models: [
      demoModel(
        'test/priced',
        [
          {
            provider: 'host',
            upstream_model_id: 'priced',
            pricing: { prompt: String(PROMPT_USD), completion: String(COMPLETION_USD) },
            max_completion_tokens: 4_096,
          },
        ],
        { context_length: 1_000_000 },
      ),
    ],
  });
  await share(gateway, 'host', FAKE_API_KEY);
  return { gateway, host };
}

describe('a conversation that goes on', () => {
  it.each([
    ['as most hosts count', 4],
    ['by a host that counts each byte as a token', 1],
  ])(
    'reserves what the provider counted of its beginning, and never less than it costs: %s',
    async (_, bytesPerToken) => {
      const { gateway, host } = await start();
      const reserved = vi.spyOn(gateway.gateway.stores.ledger, 'reserve');
      const messages: Message[] = [{ role: 'user', content: 'word '.repeat(4_000) }];
      const ratios: number[] = [];
      for (let turn = 0; turn < 8; turn += 1) {
        const bytes = messages.map(({ content }) => content).join('').length;
        const promptTokens = Math.ceil(bytes / bytesPerToken) + messages.length * TOKENS_A_MESSAGE;
        host.plan('priced', { usage: { prompt_tokens: promptTokens } });
        await mustSucceed(gateway.chat('test/priced', { messages, max_tokens: MAX_TOKENS }));
        const admission = await reserved.mock.results.at(-1)?.value;
        if (admission?.kind !== 'admitted') throw new Error('not admitted');
        const prompt = Number(admission.reserve.creditNanoUsd) - ANSWER_NANO_USD;
        ratios.push(prompt / (promptTokens * PROMPT_USD * 1e9));
        messages.push(
          { role: 'assistant', content: 'So it is.' },
          { role: 'user', content: 'And this? '.repeat(20) },
        );
      }
      const [, ...later] = ratios;
      for (const ratio of ratios) expect(ratio).toBeGreaterThanOrEqual(1);
      for (const ratio of later) expect(ratio).toBeLessThan(1.3);
    },
  );

  it('overspends a limit by one request at most, whatever a host counts of what it has seen before', async () => {
    const { gateway, host } = await start();
    const messages: Message[] = [{ role: 'user', content: 'word '.repeat(4_000) }];
    const ask = () => gateway.chat('test/priced', { messages, max_tokens: MAX_TOKENS });
    host.plan('priced', { usage: { prompt_tokens: 3_000 } });
    await mustSucceed(ask());
    const dear = { usage: { prompt_tokens: 20_000 }, delayMs: 50 };
    host.plan('priced', dear);
    const most = 20_000 * PROMPT_USD + MAX_TOKENS * COMPLETION_USD;
    const before = Number((await keyRecord(gateway)).usage);
    await setLimit(gateway, { limit: Number((before + most).toFixed(9)) });
    await mustSucceed(ask());
    await Promise.all(Array.from({ length: 20 }, ask));
    expect(Number((await keyRecord(gateway)).usage)).toBeLessThan(before + 2 * most);
    await expectSettled(gateway);
  });
});
