import { describe, expect, it } from 'vitest';
import { readCompletion } from '../../../src/formats/completions/reader.js';
import { requestSize } from '../../../src/routing/estimate/request-size.js';
import { CAPACITIES } from '../../support/providers.js';
import { bodyOf, type Row, recordOf, refusalOf } from '../../support/rest.js';
import { chunksIn, costOf, MODEL, PROMPT, startCompletions, textIn } from './completions.fixture.js';

const NO_COUNTS = { prompt_tokens: null, completion_tokens: null, total_tokens: null };

/** What a token has on average where nobody counts. */
const CHARACTERS = 4;

const sizeOf = (body: object) => {
  const { chat, ...native } = readCompletion({ model: MODEL, prompt: PROMPT, ...body });
  return requestSize(chat, { native });
};

describe('the money of text completions', () => {
  it.each(CAPACITIES)('is the same over %s, whole and streamed', async (capacity) => {
    const { gateway, complete } = await startCompletions({ capacity });
    const isByok = capacity === 'BYOK keys';
    const whole = bodyOf(await complete()).usage as Row;
    const streamed = chunksIn((await complete({ stream: true })).text).at(-1)?.usage as Row;
    for (const usage of [whole, streamed]) {
      expect(usage).toMatchObject({ is_byok: isByok, cost: isByok ? 0 : costOf(3, 4) });
    }
    expect(whole.cost_details).toEqual(streamed.cost_details);
    const { data } = bodyOf(await gateway.manage('GET', '/generations')) as { data: Row[] };
    const list = data.map(({ usage, upstream_inference_cost: cost }) => (isByok ? cost : usage));
    expect(list).toEqual([costOf(3, 4), costOf(3, 4)]);
  });

  it('counts every answer of which the best are given, in what is reserved and in what is charged', async () => {
    const { complete } = await startCompletions();
    expect(bodyOf(await complete({ n: 2, best_of: 5 })).usage).toMatchObject({
      completion_tokens: 20,
      cost: costOf(3, 20),
    });
    expect([{}, { n: 3 }, { n: 2, best_of: 5 }].map((more) => sizeOf(more).answers)).toEqual([1, 3, 5]);
  });

  it('is reserved by the texts alone: a prompt is no prompt that the host has stored', () => {
    const { promptTokens, hasStoredPrompt, fillsContext } = sizeOf({ suffix: '' });
    expect([promptTokens < 100, hasStoredPrompt, fillsContext]).toEqual([true, false, false]);
    const { promptTokens: longer } = sizeOf({ suffix: 'word '.repeat(1_000) });
    expect(longer).toBeGreaterThan(1_000);
  });

  it('is reserved as without a limit where that is 0, which some hosts take for none', () => {
    expect([sizeOf({ max_tokens: 0 }).maxTokens, sizeOf({ max_tokens: 7 }).maxTokens]).toEqual([null, 7]);
  });

  it.each([
    ['whole', false],
    ['streamed', true],
  ])(
    'is an estimate of the texts where nothing is counted, without an echo of the prompt, %s',
    async (_, stream) => {
      const { gateway, complete } = await startCompletions({ plan: { usage: NO_COUNTS } });
      const answer = await complete({ echo: true, stream });
      const text = stream
        ? textIn(chunksIn(answer.text))
        : String((bodyOf(answer).choices as Row[])[0]?.text);
      expect(text).toBe(`${PROMPT}return a + b`);
      const id = String(answer.headers['x-generation-id']);
      expect(recordOf(await gateway.manage('GET', `/generation?id=${id}`))).toMatchObject({
        counted_by: 'estimate',
        tokens_prompt: Math.ceil(`user${PROMPT}`.length / CHARACTERS),
        tokens_completion: Math.ceil('return a + b'.length / CHARACTERS),
      });
    },
  );

  it('has limits as of chats: a spent key is refused in the words of chats', async () => {
    const { gateway, complete } = await startCompletions();
    const { hash } = recordOf(await gateway.use('GET', '/key'));
    await gateway.manage('PATCH', `/keys/${String(hash)}`, { limit: 0 });
    const [whole, streamed] = [await complete(), await complete({ stream: true })];
    expect([refusalOf(whole), refusalOf(streamed)]).toEqual([
      [403, 'key_limit_exceeded'],
      [403, 'key_limit_exceeded'],
    ]);
    expect(bodyOf(whole).error).toMatchObject({ type: 'insufficient_quota' });
  });

  it('sends over shared capacity what has a price and a rule alone; an own key passes all', async () => {
    const more = { guided_regex: '.*', min_p: 0.1, user: 'u-1' };
    const shared = await startCompletions();
    const answer = await shared.complete(more);
    expect(shared.fakes[0]?.requests[0]?.body).toMatchObject({ min_p: 0.1, user: 'u-1' });
    expect(shared.fakes[0]?.requests[0]?.body).not.toHaveProperty('guided_regex');
    const id = String(answer.headers['x-generation-id']);
    expect(recordOf(await shared.gateway.manage('GET', `/generation?id=${id}`))).toMatchObject({
      omitted: ['guided_regex'],
      end_user: 'u-1',
      session_id: 'u-1',
    });
    const own = await startCompletions({ capacity: 'BYOK keys' });
    await own.complete(more);
    expect(own.fakes[0]?.requests[0]?.body).toMatchObject(more);
  });

  it('is of the run and of the end user that its headers name', async () => {
    const { gateway } = await startCompletions();
    const headers = { 'x-byway-run': 'run-1', 'x-byway-run-limit-usd': '1', 'x-byway-end-user': 'somebody' };
    const answer = await gateway.use('POST', '/completions', { model: MODEL, prompt: PROMPT }, headers);
    const id = String(answer.headers['x-generation-id']);
    expect(recordOf(await gateway.manage('GET', `/generation?id=${id}`))).toMatchObject({
      run: 'run-1',
      end_user: 'somebody',
    });
    const receipt = await gateway.manage('GET', `/generation/receipt?id=${id}`);
    expect(recordOf(receipt)).toMatchObject({ charged_usd: expect.anything() });
  });
});
