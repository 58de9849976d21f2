import { useMutation, useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import {
  BudgetInterval,
  type WorkspaceBudget,
  WorkspaceService,
} from '../../../../gen/byway/v1/workspaces_pb.js';
import { usd } from '../../base/decimal.js';
import { MAX_PAGE_SIZE } from '../../base/lists.js';
import { instantText } from '../../base/time.js';
import { useWorkspaceTraffic } from '../../base/traffic.js';
import { Button } from '../../ui/button.js';
import { MissedTraffic } from '../../ui/byok-spend.js';
import { Loaded } from '../../ui/loaded.js';
import { Meter } from '../../ui/meter.js';
import { FailureNotice } from '../../ui/notices.js';
import { Card } from '../../ui/page.js';
import { useAnnounce } from '../../ui/status.js';
import { type Column, Table } from '../../ui/table.js';
import { SetBudget } from './set-budget.js';

/** A row for each interval, with or without a budget. */
interface Row {
  readonly interval: BudgetInterval;
  readonly title: string;
  readonly budget: WorkspaceBudget | undefined;
}

const INTERVALS = [
  { interval: BudgetInterval.DAILY, title: 'Daily' },
  { interval: BudgetInterval.WEEKLY, title: 'Weekly' },
  { interval: BudgetInterval.MONTHLY, title: 'Monthly' },
  { interval: BudgetInterval.LIFETIME, title: 'Lifetime' },
];

/** The budgets of a workspace, one for each interval. */
export function Budgets({ id }: { readonly id: string }) {
  const query = useQuery(WorkspaceService.method.listWorkspaceBudgets, { id, limit: MAX_PAGE_SIZE });
  const remove = useMutation(WorkspaceService.method.deleteWorkspaceBudget);
  const announce = useAnnounce();
  const traffic = useWorkspaceTraffic().get(id);
  const [open, setOpen] = useState<Row>();
  const columns: Column<Row>[] = [
    { title: 'Interval', cell: ({ title }) => title },
    {
      title: 'Budget',
      cell: ({ budget }) =>
        budget === undefined ? <span className="muted">None</span> : <Spent budget={budget} />,
    },
    {
      title: 'Resets',
      cell: ({ budget }) => (budget?.resetsAt === undefined ? '–' : instantText(budget.resetsAt)),
    },
    {
      title: 'Actions',
      isUntitled: true,
      cell: (row) => (
        <div className="row-actions">
          <Button
            kind="quiet"
            label={`Set the ${row.title.toLowerCase()} budget`}
            onClick={() => setOpen(row)}
          >
            {row.budget === undefined ? 'Set' : 'Change'}
          </Button>
          {row.budget !== undefined && (
            <Button
              kind="quiet"
              label={`Remove the ${row.title.toLowerCase()} budget`}
              isBusy={remove.isPending}
              onClick={() =>
                remove.mutate(
                  { id, interval: row.interval },
                  { onSuccess: () => announce(`${row.title} budget removed`) },
                )
              }
            >
              Remove
            </Button>
          )}
        </div>
      ),
    },
  ];
  return (
    <Card title="Budgets" intro="Requests of the workspace are refused once any of them is reached.">
      <FailureNotice error={remove.error} />
      <Loaded query={query}>
        {({ data, includeByokInBudgets }) => (
          <>
            {data.length > 0 && !includeByokInBudgets && traffic !== undefined && (
              <MissedTraffic whose="workspace" of={traffic} />
            )}
            <Table
              caption="Budgets"
              columns={columns}
              rows={INTERVALS.map((each) => ({
                ...each,
                budget: data.find((budget) => budget.interval === each.interval),
              }))}
              keyOf={({ title }) => title}
            />
            <p className="muted small">
              {includeByokInBudgets
                ? 'BYOK spend counts toward all of them, at list price.'
                : 'BYOK spend does not count toward them.'}
            </p>
            {open !== undefined && (
              <SetBudget
                id={id}
                interval={open.interval}
                title={open.title}
                limitUsd={open.budget?.limitUsd}
                includeByokInBudgets={includeByokInBudgets}
                hasBudget={data.length > 0}
                onClose={() => setOpen(undefined)}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Spent({ budget: { spentUsd, limitUsd } }: { readonly budget: WorkspaceBudget }) {
  return (
    <>
      <span className="nowrap">
        {usd(spentUsd)} of {usd(limitUsd)} spent
      </span>
      <Meter label="Spent of the budget" value={spentUsd} max={limitUsd} />
    </>
  );
}
