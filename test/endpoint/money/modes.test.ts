import { describe, expect, it } from 'vitest';
import type { Row } from '../../support/rest.js';
import { bodyOf, recordOf } from '../../support/rest.js';
import {
  bodyFor,
  chargedFor,
  formatOf,
  MODE_CASES,
  type ModeCase,
  type Path,
  platformOf,
  priceOf,
  serve,
  TOLD_CASES,
  WAYS,
  withModes,
} from './modes.fixture.js';

const { shared, own } = withModes();
const CAPACITIES = [
  { capacity: 'shared capacity', gateway: shared },
  { capacity: 'a key of the account', gateway: own },
];

/** Whether the host tells the tier at the end of a stream, which a stream that is cut has not. */
function isToldLast({ slug, path }: ModeCase): boolean {
  return (slug.startsWith('bedrock') && path !== '/messages') || isNative(slug, path);
}

/** Events of Responses before the last one have the tier that was asked for. */
function isNative(slug: string, path: Path): boolean {
  return path === '/responses' && /^(?:openai|azure)/.test(slug);
}

const BASE = { price_mode: null, unpriced: [] };

function expectBilled(record: Row, mode: string | null, members: object): void {
  expect(record).toMatchObject({ price_mode: mode, unpriced: [], ...members });
  expect(Number(record.tokens_completion)).toBeGreaterThan(0);
  expect(chargedFor(record)).toBe(priceOf(record, mode));
}

describe.each(CAPACITIES)('over $capacity', ({ gateway }) => {
  describe.each(WAYS)('an answer %s', (way) => {
    it.each(MODE_CASES)(
      'that is asked for in $mode of $slug by $path $asks, and told so, is billed in it',
      async (one) => {
        const { sent, headers, record } = await serve(gateway(), one, {
          model: 'priced',
          asks: one.asks,
          plan: one.tells,
          way,
        });
        expect(sent).toMatchObject(one.sent);
        expect(headers).toMatchObject(one.sentHeaders ?? {});
        expectBilled(record, one.mode, one.told);
      },
    );

    it.each(MODE_CASES)(
      'that is asked for in $mode of $slug by $path $asks, of which nothing is told, is billed as it was sent',
      async (one) => {
        const { record } = await serve(gateway(), one, {
          model: 'priced',
          asks: one.asks,
          plan: one.silent,
          way,
        });
        expectBilled(record, one.mode, one.told);
      },
    );

    it.each(MODE_CASES)(
      'that is asked for in $mode of $slug by $path $asks, and denied, is billed at the base',
      async (one) => {
        if (way === 'cut' && isToldLast(one)) return;
        const { record } = await serve(gateway(), one, {
          model: 'priced',
          asks: one.asks,
          plan: one.denies,
          way,
        });
        expectBilled(record, null, {});
      },
    );

    it.each([...MODE_CASES, ...TOLD_CASES])(
      'that nobody asked for in $mode of $slug by $path, but is told, is billed in it',
      async (one) => {
        if (way === 'cut' && isToldLast(one)) return;
        const { record } = await serve(gateway(), one, { model: 'priced', asks: {}, plan: one.tells, way });
        expectBilled(record, one.mode, one.told);
      },
    );

    it.each([...MODE_CASES, ...TOLD_CASES])(
      'in $mode of $slug by $path without a price, that nobody asked for, is billed at the base and marked',
      async (one) => {
        if (way === 'cut' && isToldLast(one)) return;
        const { record } = await serve(gateway(), one, { model: 'plain', asks: {}, plan: one.tells, way });
        expect(record).toMatchObject({ price_mode: null, unpriced: [one.mode], ...one.told });
        expect(chargedFor(record)).toBe(priceOf(record, null));
      },
    );
  });

  it.each([
    ...new Map([...MODE_CASES, ...TOLD_CASES].map((one) => [`${one.slug} ${one.path}`, one])).values(),
  ])('an answer of $slug by $path in no mode is billed at the base', async (one) => {
    const { record } = await serve(gateway(), one, {
      model: 'priced',
      asks: {},
      plan: {},
      way: 'in one piece',
    });
    expectBilled(record, null, BASE);
  });
});

describe.each(CAPACITIES)('the tier priority, which OpenAI calls fast too, over $capacity', ({ gateway }) => {
  it.each(
    (['openai', 'azure-catalog'] as const).flatMap((slug) =>
      (['/chat/completions', '/messages', '/responses'] as const).flatMap((path) =>
        WAYS.map((way) => ({ slug, path, way })),
      ),
    ),
  )('is billed at its price by either name at $slug by $path, $way', async ({ slug, path, way }) => {
    for (const [asked, told] of [
      ['fast', 'fast'],
      ['fast', 'priority'],
      ['priority', 'fast'],
    ]) {
      const { record } = await serve(
        gateway(),
        { slug, path },
        {
          model: 'priced',
          asks: { service_tier: asked },
          plan: { members: { service_tier: told } },
          way,
        },
      );
      expectBilled(record, 'service_tier:priority', {});
    }
  });

  it('is billed so where nobody asked for it', async () => {
    for (const way of ['in one piece', 'streamed'] as const) {
      const { record } = await serve(
        gateway(),
        { slug: 'openai', path: '/chat/completions' },
        {
          model: 'priced',
          asks: {},
          plan: { members: { service_tier: 'fast' } },
          way,
        },
      );
      expectBilled(record, 'service_tier:priority', { service_tier: 'fast' });
    }
  });
});

describe('a mode that is asked for and has no price', () => {
  it.each(MODE_CASES)(
    '$mode of $slug by $path $asks is not asked of shared capacity: the refusal names it and price_modes',
    async (one) => {
      const { fake } = platformOf(one.slug);
      const before = shared().fakes[fake].requests.length;
      const body = { ...bodyFor(one.path, `${one.slug}/plain`, 100), ...one.asks };
      const answer = await shared().use('POST', one.path, body);
      expect(answer.status).toBe(one.path === '/chat/completions' ? 404 : 400);
      const { message, metadata } = bodyOf(answer).error as { message: string; metadata?: Row };
      expect(message).toContain(one.mode);
      expect(message).toContain('price_modes');
      if (metadata !== undefined) expect(metadata.reasons).toEqual({ unpriced_mode: 1 });
      expect(shared().fakes[fake].requests).toHaveLength(before);
      const asked = { ...body, ...formatOf(one.path) };
      const explained = recordOf(await shared().use('POST', '/routing/explain', asked));
      expect(explained.excluded_counts).toEqual({ unpriced_mode: 1 });
      expect(JSON.stringify(explained.excluded)).toContain(one.mode);
    },
  );

  it.each(MODE_CASES)(
    '$mode of $slug by $path $asks goes over a key of the account at the base, and the record says so',
    async (one) => {
      for (const way of WAYS) {
        const { sent, headers, record } = await serve(own(), one, {
          model: 'plain',
          asks: one.asks,
          plan: one.tells,
          way,
        });
        expect(sent).toMatchObject(one.sent);
        expect(headers).toMatchObject(one.sentHeaders ?? {});
        expect(record).toMatchObject({ price_mode: null, unpriced: [one.mode], ...one.told });
        expect(chargedFor(record)).toBe(priceOf(record, null));
      }
    },
  );
});

describe('explain', () => {
  it.each(MODE_CASES)(
    'shows the price and the mode of a request in $mode of $slug by $path $asks',
    async (one) => {
      const body = { model: `${one.slug}/priced`, ...one.asks, ...formatOf(one.path) };
      const { attempts } = recordOf(await shared().use('POST', '/routing/explain', body)) as {
        attempts: readonly { price: { prompt: string; completion: string }; price_mode: string | null }[];
      };
      expect(attempts.map(({ price_mode }) => price_mode)).toEqual([one.mode]);
      const inMode = priceOf({ tokens_prompt: 1_000_000, tokens_completion: 0 }, one.mode) / 1e9;
      expect(Number(attempts[0]?.price.prompt) * 1e6).toBeCloseTo(inMode, 9);
    },
  );
});
