import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { FAKE_KEY } from '../../support/fakes/fake-completions.js';
import { bodyOf, type Row, recordOf, refused, rowsOf, send } from '../../support/rest.js';
import {
  CHATS,
  chunksIn,
  costOf,
  MODEL,
  PROMPT,
  startCompletions,
  textIn,
  UPSTREAM,
} from './completions.fixture.js';

const TEXT = 'return a + b';

describe('a text completion', () => {
  it('reaches an endpoint that speaks the format as it was sent, and is answered as it answers but for id, model and cost', async () => {
    const { gateway, fakes, complete } = await startCompletions();
    const body = { suffix: '\nprint(add(1, 2))', max_tokens: 64, temperature: 0.01, stop: ['\n\n'] };
    const answer = await complete({ ...body, provider: { sort: 'price' } });
    expect(answer.status, answer.text).toBe(200);
    expect(fakes[0]?.requests[0]?.path).toBe('/v1/completions');
    expect(fakes[0]?.requests[0]?.body).toEqual({ ...body, model: UPSTREAM, prompt: PROMPT });
    const id = String(answer.headers['x-generation-id']);
    expect(bodyOf(answer)).toEqual({
      id,
      object: 'text_completion',
      created: 1_760_000_000,
      model: MODEL,
      choices: [{ index: 0, text: TEXT, logprobs: null, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 4,
        total_tokens: 7,
        cost: costOf(3, 4),
        is_byok: false,
        cost_details: expect.objectContaining({ upstream_inference_prompt_cost: 0.0000093 }),
      },
    });
    expect(recordOf(await gateway.manage('GET', `/generation?id=${id}`))).toMatchObject({
      api: 'text_completions',
      lane: 'native',
      omitted: [],
      model: MODEL,
      finish_reason: 'stop',
      native_finish_reason: 'stop',
      tokens_prompt: 3,
      tokens_completion: 4,
      counted_by: 'provider',
      usage: costOf(3, 4),
    });
    const found = rowsOf(await gateway.manage('GET', '/generations?api=text_completions'));
    expect(found.map((record) => record.id)).toEqual([id]);
  });

  it('is streamed as it streams, with its usage and cost in one last chunk', async () => {
    const { gateway, fakes, complete } = await startCompletions();
    const answer = await complete({ stream: true });
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(fakes[0]?.requests[0]?.body).toEqual({
      model: UPSTREAM,
      prompt: PROMPT,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = chunksIn(answer.text);
    const id = String(answer.headers['x-generation-id']);
    expect(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.model} ${chunk.object}`))).toEqual(
      new Set([`${id} ${MODEL} text_completion`]),
    );
    expect(textIn(chunks)).toBe(TEXT);
    expect(chunks.filter(({ usage }) => usage !== undefined)).toEqual([chunks.at(-1)]);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 4, cost: costOf(3, 4) },
    });
    const record = recordOf(await gateway.manage('GET', `/generation?id=${id}`));
    expect(record).toMatchObject({ api: 'text_completions', streamed: true, usage: costOf(3, 4) });
  });

  it('is what the official SDK reads, whole and streamed', async () => {
    const { gateway } = await startCompletions();
    const openai = new OpenAI({ baseURL: gateway.rest, apiKey: gateway.apiKey, maxRetries: 0 });
    const request = { model: MODEL, prompt: PROMPT, suffix: '\n', logprobs: 1, n: 2 };
    const whole = await openai.completions.create(request);
    expect(whole.choices.map(({ text }) => text)).toEqual([TEXT, TEXT]);
    expect(whole.choices[0]?.logprobs?.tokens).toEqual(['return', ' a', ' +', ' b']);
    const texts = ['', ''];
    let usage: OpenAI.CompletionUsage | undefined;
    for await (const chunk of await openai.completions.create({ ...request, stream: true })) {
      for (const { index, text } of chunk.choices) texts[index] += text;
      usage = chunk.usage ?? usage;
    }
    expect([texts, usage?.completion_tokens]).toEqual([[TEXT, TEXT], 8]);
    const wrong = new OpenAI({ baseURL: gateway.rest, apiKey: 'bw-v1-wrong', maxRetries: 0 });
    await expect(wrong.completions.create(request)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(openai.completions.create({ ...request, model: CHATS })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'prompt',
    });
  });

  it('is sent as a text where its prompt is a list with one, since not all hosts take lists', async () => {
    const { fakes, complete } = await startCompletions({ hosts: ['deepseek'] });
    expect((await complete({ prompt: [PROMPT] })).status).toBe(200);
    expect(fakes[0]?.requests[0]?.body.prompt).toBe(PROMPT);
  });

  it('may begin with nothing, and say nothing of members that are null, at the base URL of any other gateway', async () => {
    const { gateway, fakes } = await startCompletions();
    const body = { model: MODEL, prompt: '', suffix: 'x', max_tokens: null, stop: null };
    const url = `${gateway.rest.replace('/api/v1', '')}/v1/completions`;
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    const answer = await send(url, 'POST', { body, headers });
    expect(answer.status, answer.text).toBe(200);
    expect(fakes[0]?.requests[0]?.body).toEqual({ model: UPSTREAM, prompt: '', suffix: 'x' });
  });

  it.each([
    ['several texts', { prompt: ['a', 'b'] }, 'prompt count'],
    ['no text', { prompt: [] }, 'prompt count'],
    ['token ids', { prompt: [1] }, 'prompt[0] type'],
    ['lists of token ids', { prompt: [[1, 2]] }, 'prompt[0] type'],
    ['an object', { prompt: { id: 'pmpt_1' } }, 'prompt type'],
    ['null', { prompt: null }, 'prompt required'],
    ['no answer', { n: 0 }, 'n range'],
    ['the best of more than there may be', { best_of: 129 }, 'best_of range'],
  ])('is refused with %s, naming member and rule, and nothing is written', async (_, more, violation) => {
    const { gateway, fakes } = await startCompletions();
    const refusal = await refused(gateway, () =>
      gateway.use('POST', '/completions', { model: MODEL, prompt: PROMPT, ...more }),
    );
    expect(refusal).toEqual([400, 'invalid_request', violation]);
    expect(fakes[0]?.requests).toEqual([]);
  });

  it('is never sent as a chat: a model without such an endpoint is refused, saying what to do', async () => {
    const { complete, fakes } = await startCompletions({ formats: ['chat'] });
    const answer = await complete();
    expect([answer.status, fakes[0]?.requests]).toEqual([400, []]);
    expect(bodyOf(answer).error).toMatchObject({
      message: expect.stringContaining('name another model, or send this one a request of its own API'),
      type: 'invalid_request_error',
      param: 'prompt',
    });
  });

  it('is all that an endpoint takes that speaks nothing else: a chat to it is refused', async () => {
    const { gateway } = await startCompletions();
    const answer = await gateway.chat(MODEL);
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('no_endpoint')]);
  });

  it('is what a key is tested with whose provider takes nothing else', async () => {
    const { gateway, fakes } = await startCompletions({ capacity: 'BYOK keys' });
    const [key] = rowsOf(await gateway.manage('GET', '/byok'));
    const test = await gateway.manage('POST', `/byok/${String(key?.id)}/test`);
    expect(recordOf(test)).toMatchObject({ ok: true, reason: 'ok' });
    expect(fakes[0]?.requests.map(({ path, body }) => [path, body.max_tokens])).toEqual([
      ['/v1/completions', 1],
    ]);
  });

  it('is explained: which endpoints serve it, and why the others do not', async () => {
    const { gateway } = await startCompletions({ hosts: ['plain', 'vllm'], formats: ['completions'] });
    const explain = async (more: object) =>
      bodyOf(await gateway.use('POST', '/routing/explain', { model: MODEL, ...more })).data as {
        attempts: Row[];
        excluded: Row[];
      };
    const route = await explain({ format: 'completions', prompt: PROMPT });
    expect(route.attempts.map(({ provider, lane }) => [provider, lane])).toEqual([
      ['plain', 'native'],
      ['vllm', 'native'],
    ]);
    const chat = await explain({});
    expect([chat.attempts, chat.excluded.map(({ reason }) => reason)]).toEqual([
      [],
      ['unsupported_parameter', 'unsupported_parameter'],
    ]);
  });

  it('shows nobody the key of its provider, wherever that repeats it', async () => {
    const words = ['the key is ', FAKE_KEY];
    const { complete } = await startCompletions({ plan: { words, members: { note: FAKE_KEY } } });
    for (const stream of [false, true]) {
      const answer = await complete({ stream, logprobs: 1 });
      expect([answer.status, answer.text.includes(FAKE_KEY)]).toEqual([200, false]);
    }
  });
});
