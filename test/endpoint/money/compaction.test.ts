import { expect, it } from 'vitest';
import { chargedFor, priceOf, serve, WAYS, withModes } from './modes.fixture.js';

const { own } = withModes();

const COMPACTS = { context_management: { edits: [{ type: 'compact_20260112' }] } };
const COMPACTION = { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 };

it.each(WAYS)('a request that Claude compacts is billed for that too, %s', async (way) => {
  const asked = async (iterations: readonly object[]) => {
    const { record } = await serve(
      own(),
      { slug: 'anthropic', path: '/messages' },
      {
        model: 'plain',
        asks: COMPACTS,
        plan: {
          usage: { iterations: [...iterations, { type: 'message', input_tokens: 1, output_tokens: 1 }] },
        },
        way,
      },
    );
    return record;
  };
  const [plain, compacted] = [await asked([]), await asked([COMPACTION])];
  expect(Number(compacted.tokens_prompt) - Number(plain.tokens_prompt)).toBe(180_000);
  if (way !== 'cut') {
    expect(Number(compacted.tokens_completion) - Number(plain.tokens_completion)).toBe(3_500);
    expect(chargedFor(compacted)).toBe(priceOf(compacted, null));
    expect(chargedFor(compacted) - chargedFor(plain)).toBe(180_000 * 1_000 + 3_500 * 2_000);
  }
});
