import type { ReactNode } from 'react';
import type { HashLocation } from './base/route.js';
import { linkTo } from './base/route.js';
import { useHashLocation } from './base/use-hash-location.js';
import { ByokPage } from './pages/byok/byok-page.js';
import { ClientsPage } from './pages/clients/clients-page.js';
import { GenerationDetails } from './pages/generations/generation-page.js';
import { GenerationsPage } from './pages/generations/generations-page.js';
import { GuardrailPage } from './pages/guardrails/guardrail-page.js';
import { GuardrailsPage } from './pages/guardrails/guardrails-page.js';
import { KeysPage } from './pages/keys/keys-page.js';
import { ModelPage } from './pages/models/model-page.js';
import { ModelsPage } from './pages/models/models-page.js';
import { OverviewPage } from './pages/overview/overview-page.js';
import { PreferencesPage } from './pages/preferences/preferences-page.js';
import { RoutingPage } from './pages/routing/routing-page.js';
import { WorkspacePage } from './pages/workspaces/workspace-page.js';
import { WorkspacesPage } from './pages/workspaces/workspaces-page.js';
import { Shell } from './shell.js';
import { Empty } from './ui/notices.js';
import { PageLayout } from './ui/page.js';
import { StatusLine } from './ui/status.js';

export function DashboardApp() {
  const location = useHashLocation();
  return (
    <StatusLine>
      <Shell>{pageAt(location)}</Shell>
    </StatusLine>
  );
}

function pageAt({ segments, query }: HashLocation): ReactNode {
  const [page = '', id, slug] = segments;
  switch (page) {
    case '':
      return <OverviewPage />;
    case 'generations':
      return id === undefined ? <GenerationsPage /> : <GenerationDetails key={id} id={id} />;
    case 'models':
      return id === undefined || slug === undefined ? (
        <ModelsPage />
      ) : (
        <ModelPage key={`${id}/${slug}`} author={id} slug={slug} />
      );
    case 'keys':
      return <KeysPage />;
    case 'provider-keys':
      return <ByokPage />;
    case 'routing':
      return <RoutingPage model={query.get('model') ?? ''} />;
    case 'guardrails':
      return id === undefined ? <GuardrailsPage /> : <GuardrailPage key={id} id={id} />;
    case 'workspaces':
      return id === undefined ? <WorkspacesPage /> : <WorkspacePage key={id} id={id} />;
    case 'clients':
      return <ClientsPage />;
    case 'preferences':
      return <PreferencesPage />;
    default:
      return <Nowhere />;
  }
}

function Nowhere() {
  return (
    <PageLayout title="Nothing here">
      <Empty title="This page does not exist">
        <a href={linkTo([])}>Go to the overview</a>
      </Empty>
    </PageLayout>
  );
}
