import { describe, expect, it } from 'vitest';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { chunk, textIn } from '../openai/adapter.fixture.js';
import { startAzureTable } from './adapter.fixture.js';

const ANSWER_TEXT = 'Grüezi mitenand 👋🏽!';

describe('the content filter stays out of the answer', () => {
  it.each<[string, FakePlan]>([
    ['with results in every chunk', {}],
    ['with results in chunks of their own, also after the finish', { isFilterAsynchronous: true }],
    ['in bytes that come one by one', { isFilterAsynchronous: true, splitBytes: 1 }],
    ['in bytes that come three by three', { splitBytes: 3, lineEnd: '\r\n' }],
  ])('%s', async (_, plan) => {
    const { stream } = await startAzureTable(plan);
    const { events, thrown } = await stream();
    expect(thrown).toBeUndefined();
    expect(textIn(events)).toBe(ANSWER_TEXT);
    expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'usage', usage: { completionTokens: 4 } });
    expect(JSON.stringify(events)).not.toMatch(/filter/);
  });

  it('in one piece', async () => {
    const answer = await (await startAzureTable()).complete();
    expect(answer.choices[0]?.message.content).toBe(ANSWER_TEXT);
    expect(JSON.stringify(answer)).not.toMatch(/filter/);
  });

  it('keeps the tools of a stream together', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    const { stream } = await startAzureTable({ isFilterAsynchronous: true });
    const { events } = await stream({ body: { tools } });
    const calls = events.flatMap((event) => (event.type === 'delta' ? (event.delta.tool_calls ?? []) : []));
    expect(calls.map((call) => call.function?.arguments).join('')).toBe('{"city":"Zürich"}');
  });

  it('is the finish reason where it cuts an answer short', async () => {
    const chunks = [
      { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [] },
      chunk({ role: 'assistant', content: '' }),
      chunk({}, 'content_filter'),
    ];
    const { stream } = await startAzureTable({ chunks });
    const { events, thrown } = await stream();
    expect(thrown).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'content_filter' });
    const choices = [{ index: 0, message: { role: 'assistant' }, finish_reason: 'content_filter' }];
    const { complete } = await startAzureTable({ answer: { choices } });
    expect((await complete()).choices[0]).toMatchObject({ finish_reason: 'content_filter' });
  });
});
