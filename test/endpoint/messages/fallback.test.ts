import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { FAKE_API_KEY as ANTHROPIC_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { FAKE_API_KEY as OPENAI_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';
import { caller } from '../../support/rest.js';
import { clientOf } from './sdk.fixture.js';

const UPSTREAM = 'claude-sonnet-4-6';

/** A model of Anthropic's, and one of OpenAI's to fall back to. */
async function start() {
  const [anthropic, openai] = await Promise.all([startFakeAnthropic(), startFakeOpenAi()]);
  const provider = (slug: string, base_url: string) => ({ slug, name: slug, adapter: slug, base_url });
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [provider('anthropic', anthropic.baseUrl), provider('openai', openai.baseUrl)],
      models: [
        demoModel('anthropic/claude', [{ provider: 'anthropic', upstream_model_id: UPSTREAM }]),
        demoModel('openai/gpt', [{ provider: 'openai', upstream_model_id: 'gpt' }]),
      ],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  await manage('POST', '/byok', { provider: 'anthropic', key: ANTHROPIC_KEY });
  await manage('POST', '/byok', { provider: 'openai', key: OPENAI_KEY });
  return { client: clientOf(gateway), anthropic, openai };
}

const TOOL: Anthropic.Beta.BetaTool = { name: 'look', input_schema: { type: 'object', properties: {} } };
const THINKING = {
  'with a budget': { type: 'enabled', budget_tokens: 1024 },
  'as the model likes': { type: 'adaptive', display: 'summarized' },
} as const;

/** As Claude Code asks for with every request. */
const EDITS: Pick<Anthropic.Beta.MessageCreateParams, 'betas' | 'context_management'> = {
  betas: ['context-management-2025-06-27'],
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
};

/** What the model that answers thinks: some hosts tell nothing of it. */
const THOUGHTS = { told: ['Hm,', ' well'], untold: [] };

describe.each(Object.entries(THINKING))('a session of tool calls that thinks %s', (_, thinking) => {
  it.each(Object.entries(THOUGHTS))(
    'falls to another model and back, whose thoughts are %s, and each provider gets what it takes',
    async (__, reasoning) => {
      const { client, anthropic, openai } = await start();
      openai.plan('gpt', { reasoning });
      const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: 'user', content: 'Look!' }];
      const served: string[] = [];
      for (const isBroken of [false, true, false, true, true, false]) {
        const failure = { status: 500, body: { type: 'error', error: { type: 'api_error', message: 'No' } } };
        anthropic.plan(UPSTREAM, isBroken ? failure : {});
        const body = { model: 'anthropic/claude', models: ['openai/gpt'], max_tokens: 4096, thinking };
        const message = await client.beta.messages
          .stream({ ...body, ...EDITS, messages, tools: [TOOL] })
          .finalMessage();
        served.push(message.model);
        const calls = message.content.filter((block) => block.type === 'tool_use');
        const results = calls.map(({ id }): Anthropic.Beta.BetaToolResultBlockParam => {
          return { type: 'tool_result', tool_use_id: id, content: 'Sun' };
        });
        messages.push(
          { role: 'assistant', content: message.content },
          { role: 'user', content: results.length > 0 ? results : 'Once more!' },
        );
      }
      expect(served).toEqual([
        'anthropic/claude',
        'openai/gpt',
        'anthropic/claude',
        'openai/gpt',
        'openai/gpt',
        'anthropic/claude',
      ]);
      const sent = [...anthropic.requests, ...openai.requests].map(({ text }) => text);
      expect(JSON.stringify(messages).includes('bw2.')).toBe(reasoning.length > 0);
      expect(sent.join()).not.toContain('bw2.');
    },
  );
});
