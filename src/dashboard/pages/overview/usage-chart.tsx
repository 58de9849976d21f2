import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { useIsBilled } from '../../base/billing.js';
import { count, usdText } from '../../base/decimal.js';
import { dayText } from '../../base/time.js';
import type { Measure, UsageSum } from './usage.js';

interface Day {
  readonly date: string;
  readonly sum: UsageSum;
}

interface UsageChartProps {
  readonly days: readonly Day[];
  readonly measure: Measure;
}

/** Bars by day. Heights are floating point, for the eye only; the texts are exact. */
export default function UsageChart({ days, measure }: UsageChartProps) {
  const isUsd = measure === 'usd';
  const shared = useIsBilled() ? 'Shared capacity and fees' : 'Shared capacity';
  const bars = days.map(({ date, sum }) => ({
    date,
    sum,
    first: heightOf(sum, measure),
    second: Number(sum.byokNanoUsd) / 1e9,
  }));
  return (
    <figure aria-label="Usage by day; the same figures are in the table below">
      <div className="chart" aria-hidden="true">
        <ResponsiveContainer width="100%" height="100%">
          <BarChart data={bars} margin={{ top: 8, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis dataKey="date" tickFormatter={dayText} tickLine={false} axisLine={false} minTickGap={24} />
            <YAxis
              width={64}
              tickLine={false}
              axisLine={false}
              allowDecimals={isUsd}
              tickFormatter={(value: number) => axisText(value, measure)}
            />
            <Tooltip
              cursor={{ fill: 'var(--hover)' }}
              content={<Tip measure={measure} shared={shared} />}
              isAnimationActive={false}
            />
            <Bar
              dataKey="first"
              stackId="day"
              fill="var(--series-1)"
              maxBarSize={28}
              isAnimationActive={false}
            />
            {isUsd && (
              <Bar
                dataKey="second"
                stackId="day"
                fill="var(--series-2)"
                maxBarSize={28}
                isAnimationActive={false}
              />
            )}
          </BarChart>
        </ResponsiveContainer>
      </div>
      {isUsd && (
        <figcaption className="legend">
          <span>{shared}</span>
          <span className="second">BYOK at list price</span>
        </figcaption>
      )}
    </figure>
  );
}

function heightOf(sum: UsageSum, measure: Measure): number {
  if (measure === 'requests') return sum.requests;
  return measure === 'tokens' ? Number(sum.tokens) : Number(sum.usageNanoUsd) / 1e9;
}

const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const SHORT_USD = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
});

function axisText(value: number, measure: Measure): string {
  return measure === 'usd' ? SHORT_USD.format(value) : SHORT.format(value);
}

interface TipProps {
  readonly measure: Measure;
  /** What is not BYOK. */
  readonly shared: string;
  /** The chart library fills these in. */
  readonly active?: boolean;
  readonly payload?: readonly { readonly payload: Day }[];
}

function Tip({ measure, shared, active = false, payload = [] }: TipProps) {
  const day = payload[0]?.payload;
  if (!active || day === undefined) return null;
  const { requests, tokens, usageNanoUsd, byokNanoUsd } = day.sum;
  return (
    <div className="chart-tip">
      <strong>{dayText(day.date)}</strong>
      {measure === 'usd' && (
        <p>
          {usdText(usageNanoUsd)} {shared.toLowerCase()}
        </p>
      )}
      {measure === 'usd' && <p>{usdText(byokNanoUsd)} BYOK</p>}
      {measure === 'requests' && <p>{count(requests)} requests</p>}
      {measure === 'tokens' && <p>{count(tokens)} tokens</p>}
    </div>
  );
}
