import { useQuery } from '@connectrpc/connect-query';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type Generation, GenerationService } from '../../../../gen/byway/v1/generations_pb.js';
import { useChargedTitle } from '../../base/billing.js';
import { textField } from '../../base/changes.js';
import { count, usd } from '../../base/decimal.js';
import { useKeyOptions, useWorkspaceOptions } from '../../base/lists.js';
import { linkTo } from '../../base/route.js';
import { dateOf, durationText, instantText } from '../../base/time.js';
import { useForm } from '../../base/use-form.js';
import { download } from '../../session/download.js';
import { CHANGES_NOTHING } from '../../session/query-client.js';
import { Button } from '../../ui/button.js';
import { SelectField, TextField } from '../../ui/fields.js';
import { Loaded } from '../../ui/loaded.js';
import { Badge, Empty, FailureNotice } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { type Column, Pager, Table } from '../../ui/table.js';
import { useDeletedKeyOptions, useDeletedWorkspaceOptions } from './deleted-options.js';

const PAGE = 50;
const NO_FILTER = { apiKeyHash: '', workspaceId: '', from: '', to: '' };

const columnsOf = (charged: string): readonly Column<Generation>[] => [
  {
    title: 'Request',
    cell: ({ id, createdAt, model }) => (
      <div className="two-lines">
        <a href={linkTo(['generations', id])}>{instantText(createdAt)}</a>
        <span className="muted small break">{model}</span>
      </div>
    ),
  },
  { title: 'Served by', cell: (generation) => <ServedBy generation={generation} /> },
  { title: 'Prompt', isNumber: true, cell: ({ tokensPrompt }) => count(tokensPrompt) },
  { title: 'Completion', isNumber: true, cell: ({ tokensCompletion }) => count(tokensCompletion) },
  { title: charged, isNumber: true, cell: ({ usage }) => usd(usage) },
  {
    title: 'First content',
    isNumber: true,
    cell: ({ latency }) => (latency === undefined ? '–' : durationText(latency)),
  },
];

/** The records of requests, newest first. */
export function GenerationsPage() {
  const keys = [...useKeyOptions(), ...useDeletedKeyOptions()];
  const workspaces = [...useWorkspaceOptions(), ...useDeletedWorkspaceOptions()];
  const charged = useChargedTitle();
  const [offset, setOffset] = useState(0);
  const { draft: filter, bind } = useForm(NO_FILTER, () => setOffset(0));
  const generations = useQuery(GenerationService.method.listGenerations, {
    offset,
    limit: PAGE,
    apiKeyHash: textField(filter.apiKeyHash),
    workspaceId: textField(filter.workspaceId),
    from: dateOf(filter.from),
    to: dateOf(filter.to),
  });
  const csv = useMutation({
    mutationFn: () => download('/generations/export', 'generations.csv', exportQuery(filter)),
    meta: CHANGES_NOTHING,
  });
  return (
    <PageLayout
      title="Generations"
      intro="Every request that was routed, and what each provider on its way answered."
      actions={
        <Button icon="down" isBusy={csv.isPending} onClick={() => csv.mutate()}>
          Download CSV
        </Button>
      }
    >
      <FailureNotice error={csv.error} />
      <div className="filters">
        <SelectField
          label="API key"
          {...bind('apiKeyHash')}
          options={[{ value: '', label: 'All API keys' }, ...keys]}
        />
        <SelectField
          label="Workspace"
          {...bind('workspaceId')}
          options={[{ value: '', label: 'All workspaces' }, ...workspaces]}
        />
        <TextField label="From" {...bind('from')} type="datetime-local" />
        <TextField label="Before" {...bind('to')} type="datetime-local" />
      </div>
      <Loaded query={generations} rows={8}>
        {({ data, totalCount, totalCountExact }) =>
          data.length === 0 ? (
            <Empty title="No requests here">They appear as soon as an API key asks for something.</Empty>
          ) : (
            <Card>
              <Table caption="Generations" columns={columnsOf(charged)} rows={data} keyOf={({ id }) => id} />
              <Pager
                offset={offset}
                limit={PAGE}
                total={totalCount}
                isExact={totalCountExact}
                onMove={setOffset}
              />
            </Card>
          )
        }
      </Loaded>
    </PageLayout>
  );
}

/** All that the filter shows, without its pages. */
function exportQuery({ apiKeyHash, workspaceId, from, to }: typeof NO_FILTER): URLSearchParams {
  return new URLSearchParams({
    format: 'csv',
    api_key_hash: apiKeyHash,
    workspace_id: workspaceId,
    from: dateOf(from) ?? '',
    to: dateOf(to) ?? '',
  });
}

function ServedBy({ generation }: { readonly generation: Generation }) {
  const { providerName, isByok, cancelled, finishReason, providerResponses } = generation;
  return (
    <span className="badges">
      {providerName === undefined ? <Badge tone="bad">Not served</Badge> : <span>{providerName}</span>}
      {isByok && <Badge tone="accent">BYOK</Badge>}
      {cancelled && <Badge tone="warning">Cancelled</Badge>}
      {finishReason === 'error' && providerName !== undefined && <Badge tone="bad">Broke off</Badge>}
      {providerResponses.length > 1 && <Badge>{providerResponses.length} attempts</Badge>}
    </span>
  );
}
