import { useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import { DataCollection } from '../../../../gen/byway/v1/chat_pb.js';
import { type Guardrail, GuardrailService } from '../../../../gen/byway/v1/guardrails_pb.js';
import { RESETS } from '../../base/choices.js';
import { usd } from '../../base/decimal.js';
import { useWorkspaceOptions, useWorkspaces, valueLabel } from '../../base/lists.js';
import { linkTo } from '../../base/route.js';
import { type Traffic, useWorkspaceTraffic } from '../../base/traffic.js';
import { Button } from '../../ui/button.js';
import { MissedTrafficBadge } from '../../ui/byok-spend.js';
import { Loaded } from '../../ui/loaded.js';
import { Badge, Empty } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { type Column, Pager, Table } from '../../ui/table.js';
import { CreateGuardrail } from './create-guardrail.js';

const PAGE = 50;

/** The account's guardrails, the default ones of its workspaces included. */
export function GuardrailsPage() {
  const workspaces = useWorkspaceOptions();
  const defaults = new Set(useWorkspaces().data?.data.map((workspace) => workspace.defaultGuardrailId));
  const traffic = useWorkspaceTraffic();
  const [offset, setOffset] = useState(0);
  const [isCreating, setCreating] = useState(false);
  const guardrails = useQuery(GuardrailService.method.listGuardrails, { offset, limit: PAGE });
  const columns: Column<Guardrail>[] = [
    {
      title: 'Name',
      cell: ({ id, name, description }) => (
        <div className="two-lines">
          <a href={linkTo(['guardrails', id])}>{name}</a>
          {description !== undefined && <span className="muted small">{description}</span>}
        </div>
      ),
    },
    { title: 'Workspace', cell: ({ workspaceId }) => valueLabel(workspaces, workspaceId) },
    {
      title: 'Applies to',
      cell: ({ id }) =>
        defaults.has(id) ? <Badge tone="accent">The whole workspace</Badge> : 'What it is assigned to',
    },
    { title: 'Budget', cell: (guardrail) => <Budget guardrail={guardrail} traffic={traffic} /> },
    { title: 'Rules', cell: (guardrail) => <Rules guardrail={guardrail} /> },
  ];
  return (
    <PageLayout
      title="Guardrails"
      intro="What API keys, members and whole workspaces may use, and how much they may spend. Where several apply, all of them hold."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          Create guardrail
        </Button>
      }
    >
      <Loaded query={guardrails}>
        {({ data, totalCount }) =>
          data.length === 0 ? (
            <Empty title="No guardrails here" />
          ) : (
            <Card>
              <Table caption="Guardrails" columns={columns} rows={data} keyOf={({ id }) => id} />
              <Pager offset={offset} limit={PAGE} total={totalCount} onMove={setOffset} />
            </Card>
          )
        }
      </Loaded>
      {isCreating && <CreateGuardrail workspaces={workspaces} onClose={() => setCreating(false)} />}
    </PageLayout>
  );
}

interface BudgetProps {
  readonly guardrail: Guardrail;
  readonly traffic: ReadonlyMap<string, Traffic>;
}

function Budget({ guardrail, traffic }: BudgetProps) {
  const { limitUsd, resetInterval, includeByokInBudgets, workspaceId } = guardrail;
  if (limitUsd === undefined) return <span className="muted">None</span>;
  return (
    <>
      {usd(limitUsd)}{' '}
      <span className="muted small">
        {resetInterval === undefined ? 'in all' : RESETS.label(resetInterval)}
        {includeByokInBudgets && ', BYOK counts'}
      </span>
      {!includeByokInBudgets && <MissedTrafficBadge of={traffic.get(workspaceId)} />}
    </>
  );
}

function Rules({ guardrail }: { readonly guardrail: Guardrail }) {
  const lists = [
    [guardrail.allowedModels, 'models only'],
    [guardrail.ignoredModels, 'models ignored'],
    [guardrail.allowedProviders, 'providers only'],
    [guardrail.ignoredProviders, 'providers ignored'],
    [guardrail.allowedDataRegions, 'regions only'],
  ] as const;
  return (
    <span className="badges">
      {guardrail.warnings.length > 0 && <Badge tone="warning">Has no effect in part</Badge>}
      {guardrail.enforceZdr && <Badge tone="good">Zero retention</Badge>}
      {guardrail.dataCollection === DataCollection.DENY && <Badge tone="good">No collection</Badge>}
      {lists.map(
        ([list, what]) =>
          list !== undefined && (
            <Badge key={what}>
              {list.values.length} {what}
            </Badge>
          ),
      )}
    </span>
  );
}
