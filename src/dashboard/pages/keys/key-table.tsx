import type { Key } from '../../../../gen/byway/v1/keys_pb.js';
import { RESETS } from '../../base/choices.js';
import { nanoUsd, usd } from '../../base/decimal.js';
import { valueLabel } from '../../base/lists.js';
import type { Option } from '../../base/option.js';
import { instantText } from '../../base/time.js';
import { Amounts } from '../../ui/amounts.js';
import { Button } from '../../ui/button.js';
import { MissedTrafficBadge } from '../../ui/byok-spend.js';
import { Meter } from '../../ui/meter.js';
import { Badge } from '../../ui/notices.js';
import { type Column, Table } from '../../ui/table.js';

interface KeyTableProps {
  readonly keys: readonly Key[];
  readonly workspaces: readonly Option[];
  readonly onEdit: (key: Key) => void;
  readonly onDelete: (key: Key) => void;
}

/** API keys with their usage and what is left of their limits. */
export function KeyTable({ keys, workspaces, onEdit, onDelete }: KeyTableProps) {
  const columns: Column<Key>[] = [
    { title: 'Name', cell: (key) => <Name record={key} /> },
    { title: 'Workspace', cell: (key) => valueLabel(workspaces, key.workspaceId) },
    {
      title: 'Limit',
      cell: (key) => (
        <>
          <Limit record={key} />
          <EndUsers record={key} />
        </>
      ),
    },
    {
      title: 'This month',
      isNumber: true,
      cell: (key) => <Amounts charged={nanoUsd(key.usageMonthly)} byok={nanoUsd(key.byokUsageMonthly)} />,
    },
    {
      title: 'In total',
      isNumber: true,
      cell: (key) => <Amounts charged={nanoUsd(key.usage)} byok={nanoUsd(key.byokUsage)} />,
    },
    {
      title: 'Actions',
      isUntitled: true,
      cell: (key) => (
        <div className="row-actions">
          <Button kind="quiet" label={`Edit ${key.name}`} onClick={() => onEdit(key)}>
            Edit
          </Button>
          <Button kind="quiet" label={`Delete ${key.name}`} onClick={() => onDelete(key)}>
            Delete
          </Button>
        </div>
      ),
    },
  ];
  return <Table caption="API keys" columns={columns} rows={keys} keyOf={(key) => key.hash} />;
}

function Name({ record }: { readonly record: Key }) {
  const { name, label, disabled, expiresAt } = record;
  return (
    <div className="two-lines">
      <span>{name}</span>
      <span className="muted mono small">{label}</span>
      {expiresAt !== undefined && <span className="muted small">Expires {instantText(expiresAt)}</span>}
      {disabled && (
        <span>
          <Badge tone="warning">Disabled</Badge>
        </span>
      )}
    </div>
  );
}

function Limit({ record }: { readonly record: Key }) {
  const { limit, limitRemaining, limitReset, includeByokInLimit, usageMonthly, byokUsageMonthly } = record;
  if (limit === undefined || limitRemaining === undefined) return <span className="muted">None</span>;
  return (
    <>
      <span className="nowrap">
        {usd(limitRemaining)} of {usd(limit)} left
      </span>
      <Meter label="Spent of the limit" value={limit - limitRemaining} max={limit} />
      <span className="muted small">
        {limitReset === undefined
          ? 'No reset'
          : `Resets ${RESETS.label(limitReset).replace('Every', 'every')}`}
        {includeByokInLimit && ', BYOK counts'}
      </span>
      {!includeByokInLimit && (
        <MissedTrafficBadge
          of={{ sharedNanoUsd: nanoUsd(usageMonthly), byokNanoUsd: nanoUsd(byokUsageMonthly) }}
        />
      )}
    </>
  );
}

function EndUsers({
  record: { endUserLimit, endUserLimitReset, endUserRequired },
}: {
  readonly record: Key;
}) {
  if (endUserLimit === undefined && !endUserRequired) return null;
  const reset =
    endUserLimitReset === undefined ? '' : ` ${RESETS.label(endUserLimitReset).replace('Every', 'every')}`;
  const words = [
    ...(endUserLimit === undefined ? [] : [`Each end user: ${usd(endUserLimit)}${reset}`]),
    ...(endUserRequired ? ['End user required'] : []),
  ];
  return (
    <div className="two-lines">
      {words.map((text) => (
        <span key={text} className="muted small">
          {text}
        </span>
      ))}
    </div>
  );
}
