import { useQuery } from '@connectrpc/connect-query';
import { EndpointStatus, type ModelEndpoint, ModelService } from '../../../../gen/byway/v1/models_pb.js';
import { count, perMillion } from '../../base/decimal.js';
import { linkTo } from '../../base/route.js';
import { Loaded } from '../../ui/loaded.js';
import { Badge, Empty } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';

const COLUMNS: readonly Column<ModelEndpoint>[] = [
  {
    title: 'Provider',
    cell: ({ providerName, id }) => (
      <div className="two-lines">
        <span>{providerName}</span>
        <span className="muted mono small break">{id}</span>
      </div>
    ),
  },
  { title: 'Region', cell: ({ region }) => region ?? 'global' },
  { title: 'Context', isNumber: true, cell: ({ contextLength }) => optional(contextLength) },
  { title: 'Most output', isNumber: true, cell: ({ maxCompletionTokens }) => optional(maxCompletionTokens) },
  { title: 'Prompt, per 1M', isNumber: true, cell: ({ pricing }) => perMillion(pricing?.prompt ?? '0') },
  {
    title: 'Completion, per 1M',
    isNumber: true,
    cell: ({ pricing }) => perMillion(pricing?.completion ?? '0'),
  },
  { title: 'Data policy', cell: (endpoint) => <Policy endpoint={endpoint} /> },
];

/** One model and the endpoints where it runs. */
export function ModelPage({ author, slug }: { readonly author: string; readonly slug: string }) {
  const query = useQuery(ModelService.method.listModelEndpoints, { author, slug });
  return (
    <PageLayout
      title={query.data?.data?.name ?? `${author}/${slug}`}
      intro={query.data?.data?.description}
      parent={{ title: 'Models', href: linkTo(['models']) }}
    >
      <Loaded query={query}>
        {({ data }) => (
          <Card
            title="Endpoints"
            intro={<code>{data?.id}</code>}
            actions={
              <a className="button plain" href={linkTo(['routing'], { model: data?.id ?? '' })}>
                Explain its route
              </a>
            }
          >
            {data === undefined || data.endpoints.length === 0 ? (
              <Empty title="No endpoint serves this model" />
            ) : (
              <Table caption="Endpoints" columns={COLUMNS} rows={data.endpoints} keyOf={({ id }) => id} />
            )}
          </Card>
        )}
      </Loaded>
    </PageLayout>
  );
}

function optional(value: number | undefined): string {
  return value === undefined ? '–' : count(value);
}

function Policy({ endpoint }: { readonly endpoint: ModelEndpoint }) {
  const { dataPolicy, status, quantization, isModerated } = endpoint;
  return (
    <span className="badges">
      {dataPolicy?.zdr && <Badge tone="good">Zero retention</Badge>}
      {dataPolicy?.dataCollection && <Badge tone="warning">May collect</Badge>}
      {isModerated && <Badge>Moderated</Badge>}
      {quantization !== undefined && <Badge>{quantization}</Badge>}
      {status === EndpointStatus.DEGRADED && <Badge tone="warning">Degraded</Badge>}
      {status === EndpointStatus.DISABLED && <Badge tone="bad">Disabled</Badge>}
    </span>
  );
}
