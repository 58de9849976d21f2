import { useInfiniteQuery } from '@connectrpc/connect-query';
import { useMemo, useState } from 'react';
import { AccountService } from '../../../../gen/byway/v1/accounts_pb.js';
import { nextOffset, useEveryPage } from '../../base/every-page.js';
import { labelOf, MAX_PAGE_SIZE, useKeyOptions } from '../../base/lists.js';
import { linkTo } from '../../base/route.js';
import { daysUntil } from '../../base/time.js';
import { Empty, Failure, Loading, Notice } from '../../ui/notices.js';
import { Card, Page } from '../../ui/page.js';
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

/** A span with more rows than this is shown in part. */
const MAX_ROWS = 5_000;
const TOP = 8;

/** Credits, usage by day, and usage by model and key. */
export function OverviewPage() {
  const [span, setSpan] = useState<(typeof SPANS)[number]['value']>('30');
  const days = useMemo(() => daysUntil(Date.now(), Number(span)), [span]);
  const from = days[0] ?? '';
  const keys = useKeyOptions();
  const activity = useInfiniteQuery(
    AccountService.method.listActivity,
    { from, limit: MAX_PAGE_SIZE, offset: 0 },
    { pageParamKey: 'offset', getNextPageParam: (_, pages) => nextOffset(pages, MAX_ROWS) },
  );
  useEveryPage(activity);
  const rows = activity.data?.pages.flatMap((page) => page.data);
  const isWhole = rows !== undefined && !activity.hasNextPage;
  return (
    <Page
      title="Overview"
      actions={<Segments label="Days to show" value={span} options={SPANS} onChange={setSpan} />}
    >
      <CreditTiles />
      <Failure error={activity.error} onRetry={() => void activity.refetch()} />
      {!isWhole && activity.error === null && <Loading rows={6} />}
      {isWhole && rows.length < (activity.data?.pages[0]?.totalCount ?? 0) && (
        <Notice>Only the newest {rows.length} rows of usage are counted here.</Notice>
      )}
      {isWhole && <UsageCard rows={rows} days={days} />}
      {isWhole && rows.length === 0 && (
        <Empty title="No requests in these days">
          <a href={linkTo(['keys'])}>Create an API key</a> and call the gateway with it.
        </Empty>
      )}
      {isWhole && rows.length > 0 && (
        <div className="halves">
          <Card title="Top models">
            <TopTable title="Model" rows={top(rows, (row) => row.model, TOP)} />
          </Card>
          <Card title="Top API keys">
            <TopTable title="API key" rows={top(rows, (row) => labelOf(keys, row.apiKeyHash), TOP)} />
          </Card>
        </div>
      )}
    </Page>
  );
}
