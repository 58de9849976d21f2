/** Adds up a receipt as anybody can who has it, and compares it with the expected bill; returns a line for each difference. */
import type { Receipt, ReceiptLine } from '../../../gen/byway/v1/generations_pb.js';
import type { PriceKey } from '../../../src/catalog/types.js';
import { appliedOverrides, linesFor, type PricedCount, servedBy } from './bill.js';
import type { Charged } from './expected.js';
import { integer, minus, nanoUsd, plus, type Rational, rational, times, ZERO } from './rational.js';
import type { Case } from './scripted-request.js';

const NANO_USD = '1e-9';

export function compareReceipt(receipt: Receipt, one: Case, charged: Charged): string[] {
  const name = `receipt of ${one.id}`;
  const differ = (what: string, found: string, expected: string) =>
    found === expected ? [] : [`${name} ${what}: ${found} instead of ${expected}`];
  const list = rational(receipt.listPriceUsd);
  const sum = receipt.lines.map(({ amountUsd }) => rational(amountUsd)).reduce(plus, ZERO);
  const expectedList = usdOf(charged.upstreamInferenceCostNanoUsd ?? charged.usageNanoUsd);
  return [
    ...differ('list price', textOf(list), textOf(expectedList)),
    ...differ('sum of lines', textOf(plus(sum, rational(receipt.roundingUsd))), textOf(list)),
    ...differ('charge', textOf(rational(receipt.chargedUsd)), textOf(usdOf(charged.usageNanoUsd))),
    ...differ('entries', entriesOf(receipt), entriesOf(expectedEntries(charged))),
    ...(one.fails ? differ('lines', String(receipt.lines.length), '0') : compareLines(receipt, one, differ)),
    ...compareFee(receipt, one, charged, differ),
  ];
}

type Differ = (what: string, found: string, expected: string) => string[];

function compareLines(receipt: Receipt, one: Case, differ: Differ): string[] {
  const { pricing, metered, startedAt, asks, gives } = one;
  const expected = linesFor(pricing, metered, startedAt, servedBy(asks, gives)).filter(
    ({ isPiece, unit }) => !isPiece || unit.numerator !== 0n,
  );
  return [
    ...differ(
      'lines',
      receipt.lines.map(lineText).join('\n'),
      PRICE_ORDER.flatMap((key) => expected.filter((line) => line.key === key))
        .map(expectedText)
        .join('\n'),
    ),
    ...receipt.lines.flatMap((line) =>
      differ(
        `amount of ${line.kind}`,
        textOf(rational(line.amountUsd)),
        textOf(times(rational(line.unitPriceUsd), integer(line.quantity))),
      ),
    ),
    ...differ(
      'overrides',
      receipt.overridesApplied.join(),
      appliedOverrides(pricing, metered, startedAt).join(),
    ),
    ...differ(
      'discount',
      textOf(rational(receipt.discount)),
      textOf(rational(String(pricing.discount ?? 0))),
    ),
  ];
}

function compareFee({ fee, listPriceUsd }: Receipt, one: Case, charged: Charged, differ: Differ): string[] {
  if (one.byokKeyId === null || one.fails) return differ('fee', String(fee !== undefined), 'false');
  if (fee === undefined) return ['a receipt over a BYOK key has no fee'];
  const left = rational(fee.allowanceLeftBeforeUsd ?? '-1');
  const above = minus(rational(listPriceUsd), left);
  const on = above.numerator > 0n ? above : ZERO;
  return [
    ...differ('fee', textOf(rational(fee.amountUsd)), textOf(usdOf(charged.byokFeeNanoUsd))),
    ...differ('allowance left', textOf(left), textOf(usdOf(charged.allowanceLeftNanoUsd ?? -1n))),
    ...differ('part with a fee', textOf(rational(fee.onUsd)), textOf(on)),
    ...differ(
      'fee of that part',
      textOf(rational(fee.amountUsd)),
      textOf(usdOf(nanoUsd(times(on, rational(fee.rate))))),
    ),
  ];
}

function expectedEntries({ usageNanoUsd, upstreamInferenceCostNanoUsd, byokFeeNanoUsd }: Charged) {
  const byok = upstreamInferenceCostNanoUsd;
  const entries = [
    ['byok_cost', byok ?? 0n],
    ['byok_fee', byokFeeNanoUsd],
    ['credit_spend', usageNanoUsd - byokFeeNanoUsd],
  ] as const;
  return {
    ledgerEntries: entries
      .filter(([, amount]) => amount > 0n)
      .map(([kind, amount]) => ({ kind, amountUsd: `${amount}e-9` })),
  };
}

function entriesOf({ ledgerEntries }: { ledgerEntries: readonly { kind: string; amountUsd: string }[] }) {
  return ledgerEntries.map(({ kind, amountUsd }) => `${kind} ${textOf(rational(amountUsd))}`).join();
}

function lineText({ kind, quantity, unitPriceUsd, basePriceUsd, includes }: ReceiptLine): string {
  const parts = includes.map((part) => `${part.quantity} ${part.kind}`).sort();
  return `${quantity} ${kind} at ${textOf(rational(unitPriceUsd))} from ${textOf(rational(basePriceUsd))} (${parts})`;
}

function expectedText({ key, quantity, unit, base, includes }: PricedCount): string {
  const parts = includes.map((part) => `${part.quantity} ${part.key}`).sort();
  return `${quantity} ${key} at ${textOf(unit)} from ${textOf(base)} (${parts})`;
}

const PRICE_ORDER: readonly PriceKey[] = [
  'prompt',
  'completion',
  'request',
  'image',
  'image_output',
  'image_token',
  'image_output_token',
  'audio',
  'audio_output',
  'input_audio_cache',
  'input_cache_read',
  'input_cache_write',
  'input_cache_write_1h',
  'internal_reasoning',
  'web_search',
  'web_search_medium',
  'web_search_high',
];

function usdOf(amountNanoUsd: bigint): Rational {
  return times(integer(amountNanoUsd), rational(NANO_USD));
}

function textOf({ numerator, denominator }: Rational): string {
  return `${numerator}/${denominator}`;
}
