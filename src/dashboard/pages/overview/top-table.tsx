import { useChargedTitle } from '../../base/billing.js';
import { count } from '../../base/decimal.js';
import { Amounts } from '../../ui/amounts.js';
import { Table } from '../../ui/table.js';
import type { UsageSum } from './usage.js';

interface TopTableProps {
  readonly title: string;
  readonly rows: readonly { readonly group: string; readonly sum: UsageSum }[];
  /** By default the group itself. */
  readonly labelOf?: (group: string) => string;
}

/** Groups of usage, the largest first. */
export function TopTable({ title, rows, labelOf = (group) => group }: TopTableProps) {
  const charged = useChargedTitle();
  return (
    <Table
      caption={`Usage by ${title}`}
      columns={[
        { title, cell: ({ group }) => labelOf(group) },
        { title: 'Requests', isNumber: true, cell: ({ sum }) => count(sum.requests) },
        { title: 'Tokens', isNumber: true, cell: ({ sum }) => count(sum.tokens) },
        {
          title: charged,
          isNumber: true,
          cell: ({ sum }) => <Amounts charged={sum.usageNanoUsd} byok={sum.byokNanoUsd} />,
        },
      ]}
      rows={rows}
      keyOf={({ group }) => group}
    />
  );
}
