import { lazy, Suspense, useState } from 'react';
import { useChargedTitle, useIsBilled } from '../../base/billing.js';
import { count, usdText } from '../../base/decimal.js';
import { dayText } from '../../base/time.js';
import { Loading } from '../../ui/notices.js';
import { Card } from '../../ui/page.js';
import { Segments } from '../../ui/segments.js';
import { Table } from '../../ui/table.js';
import { type Measure, sumByDay, sumOf, type UsageTableRow } from './usage.js';

/** Loaded when it is needed: the chart library is most of the page's size. */
const UsageChart = lazy(() => import('./usage-chart.js'));

const MEASURES = [
  { value: 'usd', label: 'Spend' },
  { value: 'requests', label: 'Requests' },
  { value: 'tokens', label: 'Tokens' },
] as const;

interface UsageCardProps {
  readonly rows: readonly UsageTableRow[];
  readonly days: readonly string[];
}

/** Usage by day as a chart and as a table. */
export function UsageCard({ rows, days }: UsageCardProps) {
  const [measure, setMeasure] = useState<Measure>('usd');
  const charged = useChargedTitle();
  const isBilled = useIsBilled();
  const byDay = sumByDay(rows, days);
  const { requests, tokens, usageNanoUsd, byokNanoUsd } = sumOf(rows);
  return (
    <Card
      title="Usage by day"
      intro={`${usdText(usageNanoUsd)} ${isBilled ? 'charged' : 'on shared capacity'}, ${usdText(byokNanoUsd)} over own keys, ${count(requests)} requests, ${count(tokens)} tokens`}
      actions={<Segments label="What to show" value={measure} options={MEASURES} onChange={setMeasure} />}
    >
      <Suspense fallback={<Loading rows={6} />}>
        <UsageChart days={byDay} measure={measure} />
      </Suspense>
      <details className="as-table">
        <summary>As a table</summary>
        <Table
          caption="Usage by day"
          columns={[
            { title: 'Day (UTC)', cell: ({ date }) => dayText(date) },
            { title: 'Requests', isNumber: true, cell: ({ sum }) => count(sum.requests) },
            { title: 'Tokens', isNumber: true, cell: ({ sum }) => count(sum.tokens) },
            { title: charged, isNumber: true, cell: ({ sum }) => usdText(sum.usageNanoUsd) },
            { title: 'BYOK at list price', isNumber: true, cell: ({ sum }) => usdText(sum.byokNanoUsd) },
          ]}
          rows={byDay.filter(({ sum }) => sum.requests > 0).reverse()}
          keyOf={({ date }) => date}
        />
      </details>
    </Card>
  );
}
