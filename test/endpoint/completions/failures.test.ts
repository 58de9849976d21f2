import { describe, expect, it } from 'vitest';
import { bodyOf, type Row, recordOf, refusalOf, rowsOf } from '../../support/rest.js';
import { MODEL, PROMPT, startCompletions, UPSTREAM } from './completions.fixture.js';

describe('a text completion that fails', () => {
  it('falls to the next endpoint before its first text', async () => {
    const { gateway, fakes, complete } = await startCompletions({ hosts: ['plain', 'deepseek'] });
    for (const stream of [false, true]) {
      fakes[0]?.plan(UPSTREAM, { status: 503, body: { error: { message: 'overloaded' } } });
      const answer = await complete({ stream, provider: { order: ['plain', 'deepseek'] } });
      expect(answer.status, answer.text).toBe(200);
      const id = String(answer.headers['x-generation-id']);
      expect(recordOf(await gateway.manage('GET', `/generation?id=${id}`))).toMatchObject({
        provider: 'deepseek',
      });
    }
  });

  it('ends with an error in its last chunk where it broke off, and is charged what came', async () => {
    const chunks = ['a', 'b'].map((text) => ({
      id: 'c',
      object: 'text_completion',
      choices: [{ index: 0, text, logprobs: null, finish_reason: null }],
    }));
    const { gateway, complete } = await startCompletions({ plan: { chunks, isDoneMissing: true } });
    const answer = await complete({ stream: true });
    const data = answer.text.trim().split('\n\n');
    const last: Row = JSON.parse((data.at(-1) ?? '').slice('data: '.length));
    const id = String(answer.headers['x-generation-id']);
    expect(last).toMatchObject({
      id,
      object: 'text_completion',
      model: MODEL,
      choices: [{ index: 0, text: '', finish_reason: 'error' }],
      error: { code: 502, type: 'server_error' },
    });
    const record = recordOf(await gateway.manage('GET', `/generation?id=${id}`));
    expect(record).toMatchObject({ finish_reason: 'error', counted_by: 'estimate' });
    expect(Number(record.usage)).toBeGreaterThan(0);
  });

  it('says of a prompt that is too long which member it is, in the words of OpenAI', async () => {
    const { fakes, complete } = await startCompletions();
    const message =
      "This model's maximum context length is 8193 tokens. However, you requested 9000 tokens. Please reduce your prompt.";
    const error = { message, type: 'invalid_request_error', param: null, code: 'context_length_exceeded' };
    fakes[0]?.plan(UPSTREAM, { status: 400, body: { error } });
    const answer = await complete();
    expect(refusalOf(answer)).toEqual([400, 'context_length_exceeded']);
    expect(bodyOf(answer).error).toMatchObject({ param: 'prompt', type: 'invalid_request_error' });
  });

  it('is malformed where choices have no texts, and reported where the host reports an error with status 200', async () => {
    const { gateway, fakes, complete } = await startCompletions();
    fakes[0]?.plan(UPSTREAM, { answer: { choices: 'none' } });
    expect((await complete()).status).toBe(502);
    fakes[0]?.plan(UPSTREAM, { answer: { error: { message: 'no capacity', code: 503 } } });
    const answer = await complete();
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('no capacity')]);
    const records = rowsOf(await gateway.manage('GET', '/generations'));
    expect(records.map(({ status, usage }) => [status, usage])).toEqual([
      ['failed', 0],
      ['failed', 0],
    ]);
  });

  it('is refused by a guardrail as a chat is', async () => {
    const { gateway, fakes, complete } = await startCompletions();
    const workspace = recordOf(await gateway.manage('GET', '/workspaces/default'));
    const path = `/guardrails/${String(workspace.default_guardrail_id)}`;
    expect((await gateway.manage('PATCH', path, { ignored_models: [MODEL] })).status).toBe(200);
    const chat = await gateway.use('POST', '/chat/completions', {
      model: MODEL,
      messages: [{ role: 'user', content: PROMPT }],
    });
    expect(refusalOf(await complete())).toEqual(refusalOf(chat));
    expect(fakes[0]?.requests).toEqual([]);
  });
});
