/** The rules of balances (`src/ledger`) in SQL, made of the same tables as those in memory. */
import { type RawBuilder, sql } from 'kysely';
import {
  BALANCE_VALUES,
  SPEND_KINDS,
  type SpendKind,
  STANDING_SUMS,
  type StandingSum,
} from '../../ledger/balance/balance-values.js';
import {
  type Counted,
  MERGE_RULES,
  type MergedWindow,
  NOT_MERGED,
} from '../../ledger/balance/recent-windows.js';
import { INTERVALS, type Interval } from '../../ledger/balance/windows.js';
import type { SpendTotalTable } from '../schema/schema.js';

/** The names of the columns say what they have of a balance. */
type SumColumn = `${SpendKind | StandingSum}_nano_usd`;
type WindowPart = 'start' | `${SpendKind}_nano_usd`;
type WindowColumn = `${'' | 'previous_'}${Interval}_${WindowPart}`;

const RECENT = ['newest', 'previous'] as const;
type Recent = (typeof RECENT)[number];

/** What a value is selected by, as columns of the query. */
interface SelectorColumns {
  readonly kind: string;
  /** `NO_INTERVAL` for since ever. */
  readonly interval: string;
  readonly start: string;
}

/** In the place of an interval. */
export const NO_INTERVAL = 'ever';

/** `balanceValue` of a row `t` of `spend_total`; null, which is in no range, of a window that is not kept any more. */
export function balanceValueSql(selector: SelectorColumns): string {
  const kinds = Object.entries(BALANCE_VALUES).map(([kind, { windows, spent, plus, minus }]) => {
    const added = [...spent.map((one) => spentSql(one, windows, selector)), ...plus.map(ofRow)];
    return `when '${kind}' then ${[added.join(' + '), ...minus.map(ofRow)].join(' - ')}`;
  });
  return `case ${selector.kind} ${kinds.join(' ')} end`;
}

function spentSql(kind: SpendKind, counted: Counted, { interval, start }: SelectorColumns): string {
  const intervals = INTERVALS.map((one) => `when '${one}' then ${SPENT_IN[counted](one, kind, start)}`);
  return `case ${interval} ${intervals.join(' ')} else ${ofRow(kind)} end`;
}

/** `spentIn`, of an interval's columns. */
const SPENT_IN: Readonly<Record<Counted, (interval: Interval, kind: SpendKind, start: string) => string>> = {
  since: (interval, kind, start) =>
    RECENT.map((recent) => {
      const [begins, amount] = startAndAmount(interval, recent, kind);
      return `case when ${begins} >= ${start} then ${amount} else 0 end`;
    }).join(' + '),
  exactly: (interval, kind, start) => {
    const found = RECENT.map((recent) => {
      const [begins, amount] = startAndAmount(interval, recent, kind);
      return `when ${begins} = ${start} then ${amount}`;
    });
    const [earlier] = startAndAmount(interval, 'previous', kind);
    return `case ${found.join(' ')} when ${earlier} < ${start} then 0 end`;
  },
};

/**
 * `applyDelta`, for each column of a row that exists: with the row that conflicts with it, which has one window of each
 * interval.
 */
export function addedTotals(): Record<Exclude<keyof SpendTotalTable, 'subject'>, RawBuilder<never>> {
  const sums = [...SPEND_KINDS, ...STANDING_SUMS]
    .map(sumColumn)
    .map((column): [SumColumn, string] => [column, `spend_total.${column} + excluded.${column}`]);
  const windows = INTERVALS.flatMap((interval) =>
    RECENT.flatMap((recent) =>
      WINDOW_PARTS.map((part): [WindowColumn, string] => [
        windowColumn(interval, recent, part),
        mergedSql(interval, recent, part),
      ]),
    ),
  );
  const all = [...sums, ...windows].map(([column, added]) => [column, sql.raw<never>(added)]);
  const totals: Record<SumColumn | WindowColumn, RawBuilder<never>> = Object.fromEntries(all);
  return totals;
}

const WINDOW_PARTS: readonly WindowPart[] = ['start', ...SPEND_KINDS.map(amountPart)];

/** What `MERGE_RULES` make of a part of a window. */
function mergedSql(interval: Interval, recent: Recent, part: WindowPart): string {
  const column = (window: MergedWindow, of: WindowPart) =>
    window === 'added'
      ? `excluded.${windowColumn(interval, 'newest', of)}`
      : `spend_total.${windowColumn(interval, window, of)}`;
  // Windows that are summed begin at one instant.
  const sumOf = (windows: readonly MergedWindow[]) =>
    (part === 'start' ? windows.slice(0, 1) : windows).map((window) => column(window, part)).join(' + ');
  const rules = MERGE_RULES.map(({ when: [window, starts], ...become }) => {
    const condition = `${column(window, 'start')} ${starts} ${column('added', 'start')}`;
    return `when ${condition} then ${sumOf(become[recent])}`;
  });
  return `case ${rules.join(' ')} else ${sumOf(NOT_MERGED[recent])} end`;
}

function startAndAmount(
  interval: Interval,
  recent: Recent,
  kind: SpendKind,
): [start: string, amount: string] {
  return [
    `t.${windowColumn(interval, recent, 'start')}`,
    `t.${windowColumn(interval, recent, amountPart(kind))}`,
  ];
}

function ofRow(sum: SpendKind | StandingSum): string {
  return `t.${sumColumn(sum)}`;
}

function sumColumn(sum: SpendKind | StandingSum): SumColumn {
  return `${sum}_nano_usd`;
}

function amountPart(kind: SpendKind): WindowPart {
  return `${kind}_nano_usd`;
}

function windowColumn(interval: Interval, recent: Recent, part: WindowPart): WindowColumn {
  return recent === 'newest' ? `${interval}_${part}` : `previous_${interval}_${part}`;
}
