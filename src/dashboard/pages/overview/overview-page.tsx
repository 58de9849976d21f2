import { useInfiniteQuery } from '@connectrpc/connect-query';
import { type ReactNode, useMemo, useState } from 'react';
import { AccountService, type Activity } from '../../../../gen/byway/v1/accounts_pb.js';
import { nextOffset, useEveryPage } from '../../base/every-page.js';
import { labelOfReferred, MAX_PAGE_SIZE, type Referred, useKeyOptions } from '../../base/lists.js';
import { linkTo } from '../../base/route.js';
import { daysUntil } from '../../base/time.js';
import { Empty, FailureNotice, Loading, Notice } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { Segments } from '../../ui/segments.js';
import { CreditTiles } from './credit-tiles.js';
import { TopTable } from './top-table.js';
import { top } from './usage.js';
import { UsageCard } from './usage-card.js';

/** Spans of UTC days to choose from. */
const SPANS = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const;

/** With more rows than this, the first of them are compared. */
const MAX_ROWS = 5_000;
const TOP = 8;

/** Credits, usage by day, and usage by model and key. */
export function OverviewPage() {
  const [span, setSpan] = useState<(typeof SPANS)[number]['value']>('30');
  const days = useMemo(() => daysUntil(Date.now(), Number(span)), [span]);
  const from = days[0] ?? '';
  const keys = useKeyOptions();
  const byDay = useUsage(from, 'date');
  const byModel = useUsage(from, 'model');
  const byKey = useUsage(from, 'api_key');
  const isEmpty = byDay.rows?.length === 0;
  return (
    <PageLayout
      title="Overview"
      actions={<Segments label="Days to show" value={span} options={SPANS} onChange={setSpan} />}
    >
      <CreditTiles />
      <Usage of={byDay}>{(rows) => <UsageCard rows={rows} days={days} />}</Usage>
      {isEmpty && (
        <Empty title="No requests in these days">
          <a href={linkTo(['keys'])}>Create an API key</a> and call the gateway with it.
        </Empty>
      )}
      {!isEmpty && (
        <div className="halves">
          <Card title="Top models">
            <Usage of={byModel}>
              {(rows) => <TopTable title="Model" rows={top(rows, (row) => row.model, TOP)} />}
            </Usage>
          </Card>
          <Card title="Top API keys">
            <Usage of={byKey}>
              {(rows) => (
                <TopTable
                  title="API key"
                  rows={top(rows, ({ apiKeyHash }) => apiKeyHash, TOP)}
                  labelOf={(hash) => labelOfReferred(keys, keyOf(rows, hash))}
                />
              )}
            </Usage>
          </Card>
        </div>
      )}
    </PageLayout>
  );
}

function keyOf(rows: readonly Activity[], hash: string): Referred {
  const row = rows.find(({ apiKeyHash }) => apiKeyHash === hash);
  return { value: hash, name: row?.apiKeyName, isDeleted: row?.apiKeyDeleted === true };
}

/** Usage since a day by one thing, as far as `MAX_ROWS`. */
function useUsage(from: string, groupBy: string) {
  const query = useInfiniteQuery(
    AccountService.method.listActivity,
    { from, groupBy, limit: MAX_PAGE_SIZE, offset: 0 },
    { pageParamKey: 'offset', getNextPageParam: (_, pages) => nextOffset(pages, MAX_ROWS) },
  );
  useEveryPage(query);
  return {
    error: query.error,
    refetch: query.refetch,
    /** Undefined until all are read. */
    rows: query.hasNextPage ? undefined : query.data?.pages.flatMap((page) => page.data),
    total: query.data?.pages[0]?.totalCount ?? 0,
  };
}

interface UsageProps {
  readonly of: ReturnType<typeof useUsage>;
  readonly children: (rows: readonly Activity[]) => ReactNode;
}

function Usage({ of: { error, refetch, rows, total }, children }: UsageProps) {
  return (
    <>
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {rows === undefined && error === null && <Loading rows={6} />}
      {rows !== undefined && rows.length < total && (
        <Notice>Only the first {rows.length} of them are compared here.</Notice>
      )}
      {rows !== undefined && children(rows)}
    </>
  );
}
