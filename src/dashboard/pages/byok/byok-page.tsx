import { useInfiniteQuery } from '@connectrpc/connect-query';
import { skipToken } from '@tanstack/react-query';
import { useState } from 'react';
import { type ByokKey, ByokService } from '../../../../gen/byway/v1/byok_pb.js';
import { nextOffset, useEveryPage } from '../../base/every-page.js';
import { MAX_PAGE_SIZE, useProviderOptions, useWorkspaceOptions, valueLabel } from '../../base/lists.js';
import { Button } from '../../ui/button.js';
import { SelectField } from '../../ui/fields.js';
import { Empty, FailureNotice, Loading } from '../../ui/notices.js';
import { PageLayout } from '../../ui/page.js';
import { CreateByokKey } from './create-byok-key.js';
import { DeleteByokKey } from './delete-byok-key.js';
import { EditByokKey } from './edit-byok-key.js';
import { ProviderSections } from './provider-sections.js';

/** A workspace with more provider keys than this is shown in part. */
const MAX_KEYS = 1_000;

type Open = { kind: 'create' } | { kind: 'edit' | 'delete'; record: ByokKey };

/** The account's credentials at providers, in the order in which routing tries them. */
export function ByokPage() {
  const workspaces = useWorkspaceOptions();
  const providers = useProviderOptions();
  const [chosen, setChosen] = useState('');
  const [open, setOpen] = useState<Open>();
  const workspaceId = chosen === '' ? (workspaces[0]?.value ?? '') : chosen;
  const keys = useInfiniteQuery(
    ByokService.method.listByokKeys,
    workspaceId === '' ? skipToken : { workspaceId, limit: MAX_PAGE_SIZE, offset: 0 },
    { pageParamKey: 'offset', getNextPageParam: (_, pages) => nextOffset(pages, MAX_KEYS) },
  );
  useEveryPage(keys);
  const close = () => setOpen(undefined);
  return (
    <PageLayout
      title="Provider keys"
      intro="Bring your own keys: your credentials at providers, stored encrypted. Requests try them from top to bottom; drag one by its handle to change that."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'create' })}>
          Add provider key
        </Button>
      }
    >
      {workspaces.length > 1 && (
        <div className="filters">
          <SelectField
            label="Workspace"
            name="workspace_id"
            value={workspaceId}
            options={workspaces}
            onChange={setChosen}
          />
        </div>
      )}
      <FailureNotice error={keys.error} onRetry={() => void keys.refetch()} />
      {keys.data === undefined && keys.error === null && <Loading />}
      {keys.data !== undefined && !keys.hasNextPage && (
        <Providers
          workspaceId={workspaceId}
          keys={keys.data.pages.flatMap((page) => page.data)}
          workspaceNameOf={(id) => valueLabel(workspaces, id)}
          nameOf={(slug) => valueLabel(providers, slug)}
          onEdit={(record) => setOpen({ kind: 'edit', record })}
          onDelete={(record) => setOpen({ kind: 'delete', record })}
        />
      )}
      {open?.kind === 'create' && (
        <CreateByokKey workspaceId={workspaceId} providers={providers} onClose={close} />
      )}
      {open?.kind === 'edit' && <EditByokKey record={open.record} onClose={close} />}
      {open?.kind === 'delete' && <DeleteByokKey record={open.record} onClose={close} />}
    </PageLayout>
  );
}

interface ProvidersProps {
  readonly workspaceId: string;
  /** Its own, and those of other workspaces that it may use. */
  readonly keys: readonly ByokKey[];
  readonly workspaceNameOf: (workspaceId: string) => string;
  readonly nameOf: (provider: string) => string;
  readonly onEdit: (key: ByokKey) => void;
  readonly onDelete: (key: ByokKey) => void;
}

function Providers({ workspaceId, keys, workspaceNameOf, nameOf, onEdit, onDelete }: ProvidersProps) {
  if (keys.length === 0) {
    return (
      <Empty title="No provider keys in this workspace yet">
        Add one and its requests are billed to your own account at the provider.
      </Empty>
    );
  }
  return [...new Set(keys.map(({ provider }) => provider))]
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b)))
    .map((provider) => (
      <ProviderSections
        key={provider}
        title={nameOf(provider)}
        keys={keys.filter((key) => key.provider === provider && key.workspaceId === workspaceId)}
        ofOthers={keys.filter((key) => key.provider === provider && key.workspaceId !== workspaceId)}
        workspaceNameOf={workspaceNameOf}
        onEdit={onEdit}
        onDelete={onDelete}
      />
    ));
}
