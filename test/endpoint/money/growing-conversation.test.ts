import { describe, expect, it, vi } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { imageOf, imageUrl } from '../../support/images.js';
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
async function start(model = 'test/priced') {
  const host = await startFakeOpenAi();
  const gateway = await startMoneyGateway({
    providers: [{ slug: 'host', name: 'Host', adapter: 'openai', base_url: host.baseUrl }],
    models: [
      demoModel(
        model,
        [
          {
            provider: 'host',
            upstream_model_id: 'priced',
            pricing: { prompt: String(PROMPT_USD), completion: String(COMPLETION_USD) },
            max_completion_tokens: 4_096,
          },
        ],
        {
          context_length: 1_000_000,
          architecture: {
            modality: 'text+image->text',
            input_modalities: ['text', 'image'],
            output_modalities: ['text'],
          },
        },
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

  /** What the hosts of these models document for an image of 1,092 by 1,092 pixels. */
  it.each([
    ['anthropic/claude-sonnet-4.5', 1_590],
    ['openai/gpt-4o', 765],
    ['google/gemini-3-flash-preview', 1_120],
  ])(
    'reserves at most 1.3 times its prompt from the second turn on, images and results of tools with images included: %s',
    async (model, imageTokens) => {
      const png = { type: 'base64', media_type: 'image/png', data: imageOf('png', 1_092, 1_092, 300_000) };
      const url = imageUrl('jpeg', 1_092, 1_092, 300_000);
      const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
      const result = {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: [{ type: 'image', source: png }],
      };
      const turns = {
        '/chat/completions': [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
        '/messages': [
          { role: 'assistant', content: [call] },
          { role: 'user', content: [result] },
        ],
      };
      for (const [path, turn] of Object.entries(turns)) {
        const { gateway, host } = await start(model);
        const reserved = vi.spyOn(gateway.gateway.stores.ledger, 'reserve');
        const messages: object[] = [{ role: 'user', content: 'word '.repeat(40_000) }];
        const ratios: number[] = [];
        for (let images = 0; images < 6; images += 1) {
          const promptTokens = 50_000 + images * imageTokens;
          host.plan('priced', { usage: { prompt_tokens: promptTokens } });
          const tools = [{ name: 'look', input_schema: { type: 'object' } }];
          const body = { model, messages, max_tokens: MAX_TOKENS, ...(path === '/messages' && { tools }) };
          await mustSucceed(gateway.use('POST', path, body));
          const admission = await reserved.mock.results.at(-1)?.value;
          if (admission?.kind !== 'admitted') throw new Error('not admitted');
          const prompt = Number(admission.reserve.creditNanoUsd) - ANSWER_NANO_USD;
          ratios.push(prompt / (promptTokens * PROMPT_USD * 1e9));
          const said = path === '/messages' ? [] : [{ role: 'assistant', content: 'So it is.' }];
          messages.push(...said, ...turn);
        }
        const [, ...later] = ratios;
        for (const ratio of ratios) expect(ratio).toBeGreaterThanOrEqual(1);
        for (const ratio of later) expect(ratio).toBeLessThan(1.1);
      }
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
