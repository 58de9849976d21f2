import { describe, expect, it } from 'vitest';
import { JsonText } from '../../../src/base/json/json-text.js';
import { Problem } from '../../../src/base/problem.js';
import type { Usage } from '../../../src/formats/chat/types.js';
import { CompletionWriter } from '../../../src/inference/completions/completion-writer.js';
import { StreamUsage } from '../../../src/inference/ports/stream-usage.js';
import { UNKNOWN_BOUNDS } from '../../../src/ledger/pricing/possible-usage.js';

const HEAD = { id: 'gen-1', created: 5, model: 'asked/for' };
const COST = { cost: 0.5, is_byok: false, cost_details: {} };
const USAGE = { completion_tokens: 7, ...COST } as unknown as Usage;

const piece = (text: string, more: object = {}) => ({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 3,
  model: 'theirs',
  choices: [{ index: 0, text, logprobs: null, finish_reason: null }],
  ...more,
});

function written(choices: number, ...chunks: readonly object[]) {
  const writer = new CompletionWriter(HEAD, new StreamUsage(choices, UNKNOWN_BOUNDS));
  const out: JsonText[] = [];
  for (const chunk of chunks)
    writer.write({ type: 'native', event: JsonText.of({ ...chunk }), normalized: [] }, out);
  return { writer, out: out.map(({ value }) => value) };
}

const valuesOf = (pieces: readonly JsonText[]) => pieces.map(({ value }) => value);

describe('the chunks of a text completion', () => {
  it('pass as they came but for id and model, with every member that nobody knows', () => {
    const { out } = written(1, piece('a', { system_fingerprint: 'fp', x: [1] }));
    expect(out).toEqual([
      { ...piece('a'), id: 'gen-1', model: 'asked/for', system_fingerprint: 'fp', x: [1] },
    ]);
  });

  it('have no usage, wherever the provider tells it: the last one has what it told last, and the cost', () => {
    const { writer, out } = written(
      1,
      piece('a', { usage: null }),
      piece('b', { usage: { completion_tokens: 1 } }),
      piece('c', { usage: { completion_tokens: 3, theirs: true } }),
    );
    expect(out.map((one) => 'usage' in one)).toEqual([false, false, false]);
    expect(valuesOf(writer.end(USAGE))).toEqual([
      {
        ...HEAD,
        object: 'text_completion',
        choices: [],
        usage: { completion_tokens: 3, theirs: true, ...COST },
      },
    ]);
  });

  it('end with what was counted here where the provider tells nothing', () => {
    expect(valuesOf(written(1, piece('a')).writer.end(USAGE))).toEqual([
      { ...HEAD, object: 'text_completion', choices: [], usage: USAGE },
    ]);
  });

  it('keep what a provider says beside its usage in the chunk that has nothing else', () => {
    const { writer, out } = written(1, { ...piece(''), choices: [], usage: {}, note: 'x' });
    expect(out).toEqual([]);
    expect(valuesOf(writer.end(USAGE))).toMatchObject([{ created: 3, note: 'x', id: 'gen-1' }]);
  });

  it('finish all choices where the answer is cut off, or breaks', () => {
    const { writer } = written(2, piece('a'));
    const finished = (finish_reason: string) =>
      [0, 1].map((index) => ({ index, text: '', logprobs: null, finish_reason }));
    expect(valuesOf(writer.cutOff())).toMatchObject([{ id: 'gen-1', choices: finished('length') }]);
    const problem = new Problem('upstream_failed', 'it broke');
    expect(valuesOf(writer.fail(problem, null))).toMatchObject([
      { choices: finished('error'), error: { code: 502, message: 'it broke', type: 'server_error' } },
    ]);
  });
});
