import { useQuery } from '@connectrpc/connect-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { type Model, ModelService } from '../../../../gen/byway/v1/models_pb.js';
import { useIsBilled } from '../../base/billing.js';
import { count, perMillion } from '../../base/decimal.js';
import { linkTo } from '../../base/route.js';
import { useForm } from '../../base/use-form.js';
import { SwitchField, TextField } from '../../ui/fields.js';
import { Loaded } from '../../ui/loaded.js';
import { Empty } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { type Column, Pager, Table } from '../../ui/table.js';
import { matching } from './search.js';

const PAGE = 50;

const AVAILABLE = 'Those with a provider key of this account, or with shared capacity';

const COLUMNS: readonly Column<Model>[] = [
  {
    title: 'Model',
    cell: ({ id, name }) => (
      <div className="two-lines">
        <a href={linkTo(['models', ...id.split('/')])}>{name}</a>
        <span className="muted mono small break">{id}</span>
      </div>
    ),
  },
  {
    title: 'Context',
    isNumber: true,
    cell: ({ contextLength }) => (contextLength === undefined ? '–' : count(contextLength)),
  },
  { title: 'Prompt, per 1M', isNumber: true, cell: ({ pricing }) => perMillion(pricing?.prompt ?? '0') },
  {
    title: 'Completion, per 1M',
    isNumber: true,
    cell: ({ pricing }) => perMillion(pricing?.completion ?? '0'),
  },
  {
    title: 'Modality',
    cell: ({ architecture }) => (
      <span className="nowrap">{architecture?.modality?.replace('->', ' → ') ?? '–'}</span>
    ),
  },
];

/** The models that can answer now, or all of the catalogue, with a search. */
export function ModelsPage() {
  const isBilled = useIsBilled();
  const [offset, setOffset] = useState(0);
  const { draft, bind } = useForm({ search: '', available: true }, () => setOffset(0));
  const { search, available } = draft;
  const models = useQuery(ModelService.method.listModels, available ? { available } : {});
  return (
    <PageLayout
      title="Models"
      intro="What can answer now, or the whole catalogue. What an API key may use of it depends on its guardrails and your preferences."
    >
      <div className="filters">
        <TextField label="Search" {...bind('search')} type="search" placeholder="Name, author, identifier" />
        <SwitchField
          label="Only those that can answer now"
          {...bind('available')}
          hint={isBilled ? `${AVAILABLE} that its credits can pay for.` : `${AVAILABLE}.`}
        />
      </div>
      <Loaded query={models} rows={8}>
        {({ data }) => <Found models={data} search={search} offset={offset} onMove={setOffset} />}
      </Loaded>
    </PageLayout>
  );
}

interface FoundProps {
  readonly models: readonly Model[];
  readonly search: string;
  readonly offset: number;
  readonly onMove: (offset: number) => void;
}

function Found({ models, search, offset, onMove }: FoundProps) {
  const deferred = useDeferredValue(search);
  const found = useMemo(() => matching(models, deferred), [models, deferred]);
  if (models.length === 0) {
    return <Empty title="No model can answer yet">Store a provider key, or look at all models.</Empty>;
  }
  if (found.length === 0) return <Empty title="No model matches">Try fewer words, or all models.</Empty>;
  return (
    <Card>
      <p className="muted small" role="status">
        {count(found.length)} models
      </p>
      <Table
        caption="Models"
        columns={COLUMNS}
        rows={found.slice(offset, offset + PAGE)}
        keyOf={({ id }) => id}
      />
      <Pager offset={offset} limit={PAGE} total={found.length} onMove={onMove} />
    </Card>
  );
}
