import { describe, expect, it } from 'vitest';
import { contractAt, fitted } from './chat.fixture.js';

const closed = { type: 'object', properties: {}, additionalProperties: false };
const tool = (name: string, strict?: boolean) => ({
  type: 'function',
  function: { name, parameters: closed, ...(strict !== undefined && { strict }) },
});

/** https://github.com/mpfaffenberger/code_puppy/pull/368 (2026-05): left out counts as not strict. */
describe('tools at Cerebras', () => {
  it('are none strict where one is not', () => {
    const { body, adapted } = fitted(
      { tools: [tool('a', true), tool('b'), tool('c', false)] },
      contractAt('cerebras'),
    );
    expect(body.tools).toEqual([tool('a'), tool('b'), tool('c', false)]);
    expect(adapted).toEqual([['tools[0].function.strict', 'left_out']]);
  });

  it.each([
    ['all strict', [tool('a', true), tool('b', true)]],
    ['none strict', [tool('a'), tool('b', false)]],
  ])('stay as they are where they are %s', (_, tools) => {
    expect(fitted({ tools }, contractAt('cerebras'))).toMatchObject({ body: { tools }, adapted: [] });
  });

  it('stay strict beside others elsewhere', () => {
    const tools = [tool('a', true), tool('b')];
    expect(fitted({ tools }, contractAt('openai')).body.tools).toEqual(tools);
  });
});
