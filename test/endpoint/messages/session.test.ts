import { expect, it } from 'vitest';
import { demoModel } from '../../support/catalog.js';
import { error } from '../../support/fakes/fake-anthropic/errors.js';
import { FAKE_API_KEY, startFakeAnthropic } from '../../support/fakes/fake-anthropic.js';
import { FAKE_API_KEY as OPENAI_KEY, startFakeOpenAi } from '../../support/fakes/fake-openai.js';
import { startGateway } from '../../support/gateway.js';
import { bodyOf, caller, type Row, rowsOf } from '../../support/rest.js';
import { eventsIn } from './messages.fixture.js';

const UPSTREAM = 'claude-sonnet-4-6';
const GPT = 'gpt-session';

/** A model that Anthropic serves first, and somebody with OpenAI's format where it can't. */
async function start() {
  const anthropic = await startFakeAnthropic();
  const openai = await startFakeOpenAi();
  anthropic.plan(UPSTREAM, { thoughts: ['First, think'] });
  openai.plan(GPT, { reasoning: ['Think', ' otherwise'], words: ['From', ' elsewhere'] });
  const gateway = await startGateway({
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' },
    catalog: {
      providers: [
        { slug: 'anthropic', name: 'Anthropic', adapter: 'anthropic', base_url: anthropic.baseUrl },
        { slug: 'openai', name: 'OpenAI', adapter: 'openai', base_url: openai.baseUrl },
      ],
      models: [
        demoModel('test/both', [
          { provider: 'anthropic', upstream_model_id: UPSTREAM },
          { provider: 'openai', upstream_model_id: GPT, max_completion_tokens: 1000 },
        ]),
      ],
    },
  });
  const manage = caller(gateway, gateway.managementKey);
  for (const [provider, key] of [
    ['anthropic', FAKE_API_KEY],
    ['openai', OPENAI_KEY],
  ]) {
    expect((await manage('POST', '/byok', { provider, key })).status).toBe(201);
  }
  return { anthropic, openai, manage, use: caller(gateway, gateway.apiKey) };
}

const BODY = {
  model: 'test/both',
  max_tokens: 4000,
  thinking: { type: 'adaptive', display: 'summarized' },
  provider: { order: ['anthropic', 'openai'] },
};

it.each([false, true])(
  'a session goes from Claude to another model and back, with its thoughts (streamed: %s)',
  async (stream) => {
    const { anthropic, openai, manage, use } = await start();
    const messages: unknown[] = [];
    const turn = async (content: string) => {
      messages.push({ role: 'user', content });
      const answer = await use('POST', '/messages', { ...BODY, messages, ...(stream && { stream }) });
      expect(answer.status, answer.text).toBe(200);
      const blocks = stream ? blocksIn(eventsIn(answer.text)) : (bodyOf(answer).content as Row[]);
      messages.push({ role: 'assistant', content: blocks });
      return blocks;
    };

    const native = await turn('One');
    expect(native[0]).toMatchObject({ type: 'thinking', thinking: 'First, think' });

    anthropic.plan(UPSTREAM, error(529, 'overloaded_error', 'Overloaded'));
    const translated = await turn('Two');
    expect(translated).toMatchObject([
      { type: 'thinking', thinking: 'Think otherwise', signature: expect.stringMatching(/^bw2\./) },
      { type: 'text', text: 'From elsewhere' },
    ]);
    expect(openai.requests.at(-1)?.text).not.toContain('bw2.');
    expect(openai.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 1000 });

    anthropic.plan(UPSTREAM, { thoughts: ['Again'] });
    const back = await turn('Three');
    expect(back[0]).toMatchObject({ type: 'thinking', thinking: 'Again' });
    const sent = anthropic.requests.at(-1);
    expect(sent?.text).not.toContain('bw2.');
    expect(sent?.body.messages[1]?.content).toEqual(native);
    expect(sent?.body.messages[3]?.content).toMatchObject([{ type: 'text', text: 'From elsewhere' }]);

    const records = rowsOf(await manage('GET', '/generations'));
    expect(records.map(({ lane }) => lane)).toEqual(['native', 'translated', 'native']);
  },
);

/** The blocks of a stream, put together as clients do. */
function blocksIn(events: readonly Row[]): Row[] {
  const blocks: Record<string, unknown>[] = [];
  for (const { type, index, content_block, delta } of events) {
    if (type === 'content_block_start') blocks[Number(index)] = { ...(content_block as Row) };
    const block = blocks[Number(index)];
    if (type !== 'content_block_delta' || block === undefined) continue;
    const { type: kind, ...added } = delta as Row;
    for (const [name, text] of Object.entries(added)) block[name] = String(block[name] ?? '') + String(text);
  }
  return blocks;
}
