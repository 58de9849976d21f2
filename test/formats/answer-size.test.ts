import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownSizeOf, ownSizeViolations } from '../../src/formats/answer-size.js';

const LENGTHS = [
  'max_output_tokens',
  'max_new_tokens',
  'max_tokens_to_sample',
  'max_token_count',
  'num_predict',
];
const COUNTS = ['best_of', 'candidate_count', 'num_return_sequences', 'num_beams'];

/** The same name as other APIs spell it. */
const spelled = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    name,
    name.replaceAll('_', ''),
    name.replaceAll('_', '-'),
    name.toUpperCase(),
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );

/** The value within members of other APIs, at most four deep, in objects and in lists. */
const placed = (name: string, value: unknown): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      spelled(name),
      fc.array(fc.constantFrom('generation_config', 'options', 'additionalModelRequestFields', 'list'), {
        maxLength: 4,
      }),
    )
    .map(([spelling, path]) =>
      path.reduce<Record<string, unknown>>(
        (inner, container) => ({ [container]: container === 'list' ? [inner] : inner }),
        { [spelling]: value },
      ),
    );

describe('the size that members of other APIs give an answer', () => {
  it('is read at any depth and in any spelling', () => {
    const lengths = fc
      .tuple(fc.constantFrom(...LENGTHS), fc.integer({ min: 1, max: 2 ** 31 - 1 }))
      .chain(([name, tokens]) => placed(name, tokens).map((body) => [body, tokens] as const));
    fc.assert(
      fc.property(lengths, ([body, tokens]) => {
        expect(ownSizeViolations(body)).toEqual([]);
        expect(ownSizeOf(body).maxTokens).toBe(tokens);
      }),
    );
    const counts = fc
      .tuple(fc.constantFrom(...COUNTS), fc.integer({ min: 1, max: 128 }))
      .chain(([name, answers]) => placed(name, answers).map((body) => [body, answers] as const));
    fc.assert(
      fc.property(counts, ([body, answers]) => {
        expect(ownSizeOf(body).answers).toBe(answers);
      }),
    );
  });

  it('is refused by its name where it is no such number', () => {
    const values = fc.constantFrom<unknown>('8', '', '1e9', 2.5, 0, -1, true, 1e300, 2 ** 31, [8]);
    const bodies = fc
      .tuple(fc.constantFrom(...LENGTHS, ...COUNTS), values)
      .chain(([name, value]) => placed(name, value));
    fc.assert(
      fc.property(bodies, (body) => {
        expect(ownSizeViolations(body)).toEqual([expect.objectContaining({ rule: 'range' })]);
        expect(ownSizeOf(body)).toMatchObject({ maxTokens: 0, answers: 1 });
      }),
    );
  });

  it('is none of what only looks like it: null, schemas, the caller’s own data', () => {
    const body = {
      n: null,
      metadata: { n: '8', max_tokens: 'many' },
      response_format: { json_schema: { schema: { maxLength: '10' } } },
      generation_config: { response_schema: { properties: { n: { maxLength: '10' } } } },
      guided_json: { n: '8' },
      tools: [{ type: 'function', function: { parameters: { properties: { n: { maxLength: '3' } } } } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'n', n: '8' }] }],
    };
    expect(ownSizeViolations(body)).toEqual([]);
    expect(ownSizeOf(body)).toEqual({ maxTokens: 0, thinkingInside: 0, thinkingBeside: 0, answers: 1 });
  });

  it('has budgets of thinking, which may be none or as much as the model likes', () => {
    const thinking = { type: 'enabled', budget_tokens: 9_000 };
    expect(ownSizeOf({ thinking })).toMatchObject({ thinkingInside: 9_000, maxTokens: 0 });
    const generationConfig = { thinkingConfig: { thinkingBudget: 500 } };
    expect(ownSizeOf({ generationConfig })).toMatchObject({ thinkingBeside: 500 });
    for (const thinking_budget of [-1, 0]) expect(ownSizeViolations({ thinking_budget })).toEqual([]);
    expect(ownSizeViolations({ thinking: { budget_tokens: '9000' } })).toHaveLength(1);
  });

  it('does not overflow the stack, however deep the body is', () => {
    let body: Record<string, unknown> = { n: 7 };
    for (let depth = 0; depth < 100_000; depth++) body = { a: body };
    expect(ownSizeOf(body).answers).toBe(7);
  });
});
