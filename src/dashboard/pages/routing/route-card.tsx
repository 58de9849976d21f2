import {
  HealthState,
  type Route,
  type RouteAttempt,
  type RouteExclusion,
  RouteSection,
} from '../../../../gen/byway/v1/routing_pb.js';
import { perMillion } from '../../base/decimal.js';
import { useByokKeyOptions, valueLabel } from '../../base/lists.js';
import { instantText } from '../../base/time.js';
import { Badge, Empty, Notice } from '../../ui/notices.js';
import { Card } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';

const SECTIONS: Readonly<Record<RouteSection, string>> = {
  [RouteSection.UNSPECIFIED]: '–',
  [RouteSection.PRIORITIZED]: 'Prioritized',
  [RouteSection.SHARED]: 'Shared',
  [RouteSection.FALLBACK]: 'Fallback',
};

const ATTEMPTS: readonly Column<RouteAttempt>[] = [
  { title: '#', cell: ({ position }) => position + 1 },
  {
    title: 'Provider',
    cell: ({ providerName, endpoint }) => (
      <div className="two-lines">
        <span>{providerName}</span>
        <span className="muted mono small break">{endpoint}</span>
      </div>
    ),
  },
  { title: 'Model', cell: ({ model }) => model },
  {
    title: 'Section',
    cell: ({ section, isByok, byokKeyId }) => (
      <span className="badges">
        <Badge tone={isByok ? 'accent' : 'neutral'}>{SECTIONS[section]}</Badge>
        {byokKeyId !== undefined && <ByokName id={byokKeyId} />}
      </span>
    ),
  },
  { title: 'Region', cell: ({ region }) => region ?? 'global' },
  { title: 'Prompt, per 1M', isNumber: true, cell: ({ price }) => perMillion(price?.prompt ?? '0') },
  { title: 'Completion, per 1M', isNumber: true, cell: ({ price }) => perMillion(price?.completion ?? '0') },
  {
    title: 'Health',
    cell: ({ health }) =>
      health?.until === undefined ? (
        <Badge tone="good">OK</Badge>
      ) : (
        <Badge tone="warning">
          {health.state === HealthState.RESTING ? 'Resting' : 'Cooling'} until {instantText(health.until)}
        </Badge>
      ),
  },
];

const EXCLUDED: readonly Column<RouteExclusion>[] = [
  {
    title: 'Provider',
    cell: ({ provider, endpoint }) => (
      <div className="two-lines">
        <span>{provider}</span>
        {endpoint !== undefined && <span className="muted mono small break">{endpoint}</span>}
      </div>
    ),
  },
  {
    title: 'BYOK key',
    cell: ({ byokKeyId }) => (byokKeyId === undefined ? '–' : <ByokName id={byokKeyId} />),
  },
  { title: 'Reason', cell: ({ reason }) => <code>{reason}</code> },
  { title: 'Detail', cell: ({ detail }) => detail },
];

/** A route: its attempts in order, and what is excluded. */
export function RouteCard({ route }: { readonly route: Route }) {
  const { attempts, excluded, excludedCounts = {}, unknownProviders, unrelatedKeys, refused } = route;
  const excludedCount = Object.values(excludedCounts).reduce<number>((sum, count) => sum + Number(count), 0);
  return (
    <>
      {refused !== undefined && (
        <Notice>
          A request would be refused before any attempt: {refused.message} (<code>{refused.reason}</code>)
        </Notice>
      )}
      {unknownProviders.length > 0 && <Notice>No provider is called {unknownProviders.join(', ')}.</Notice>}
      <Card title="Attempts" intro="In this order, until one answers.">
        {attempts.length === 0 ? (
          <Empty title="Nothing would be tried">The reasons stand below.</Empty>
        ) : (
          <Table
            caption="Attempts"
            columns={ATTEMPTS}
            rows={attempts}
            keyOf={({ position }) => String(position)}
          />
        )}
      </Card>
      <Card
        title="Left out"
        intro="Endpoints and keys that would not be tried, each with the first reason that holds."
      >
        {excludedCount > excluded.length && (
          <Notice>
            {excludedCount} are left out; these are the first {excluded.length}.
          </Notice>
        )}
        {unrelatedKeys > 0 && (
          <p className="muted">
            {unrelatedKeys} more provider {unrelatedKeys === 1 ? 'key is' : 'keys are'} of providers that do
            not have the model.
          </p>
        )}
        {excluded.length === 0 ? (
          <Empty title="Nothing is left out" />
        ) : (
          <Table
            caption="Left out"
            columns={EXCLUDED}
            rows={excluded}
            keyOf={({ provider, endpoint, byokKeyId }) => `${provider} ${endpoint} ${byokKeyId}`}
          />
        )}
      </Card>
    </>
  );
}

function ByokName({ id }: { readonly id: string }) {
  return <span title={id}>{valueLabel(useByokKeyOptions(), id)}</span>;
}
