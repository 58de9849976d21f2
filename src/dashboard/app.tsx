import type { ReactNode } from 'react';
import type { Place } from './base/route.js';
import { linkTo } from './base/route.js';
import { usePlace } from './base/use-place.js';
import { ByokPage } from './pages/byok/byok-page.js';
import { KeysPage } from './pages/keys/keys-page.js';
import { Shell } from './shell.js';
import { Empty } from './ui/notices.js';
import { Page } from './ui/page.js';
import { StatusLine } from './ui/status.js';

/** The dashboard of who is signed in. */
export function App() {
  const place = usePlace();
  return (
    <StatusLine>
      <Shell>{pageAt(place)}</Shell>
    </StatusLine>
  );
}

function pageAt({ segments }: Place): ReactNode {
  const [page = '', id] = segments;
  switch (page) {
    case 'keys':
      return <KeysPage />;
    case 'provider-keys':
      return <ByokPage />;
    default:
      return <Nowhere key={id} />;
  }
}

function Nowhere() {
  return (
    <Page title="Nothing here">
      <Empty title="This page does not exist">
        <a href={linkTo([])}>Go to the overview</a>
      </Empty>
    </Page>
  );
}
