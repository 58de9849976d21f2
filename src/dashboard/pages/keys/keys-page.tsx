import { useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import { type Key, KeyService } from '../../../../gen/byway/v1/keys_pb.js';
import { useWorkspaceOptions } from '../../base/lists.js';
import { useForm } from '../../base/use-form.js';
import { Button } from '../../ui/button.js';
import { SelectField, SwitchField } from '../../ui/fields.js';
import { Loaded } from '../../ui/loaded.js';
import { Empty } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { SecretText } from '../../ui/secret.js';
import { Pager } from '../../ui/table.js';
import { CreateKey } from './create-key.js';
import { DeleteKey } from './delete-key.js';
import { EditKey } from './edit-key.js';
import { KeyTable } from './key-table.js';

const PAGE = 50;

type Open =
  | { kind: 'create' }
  | { kind: 'edit' | 'delete'; record: Key }
  | { kind: 'secret'; secret: string };

/** The account's API keys: list, create, edit, delete. */
export function KeysPage() {
  const workspaces = useWorkspaceOptions();
  const [open, setOpen] = useState<Open>();
  const [offset, setOffset] = useState(0);
  const { draft, bind } = useForm({ workspaceId: '', includeDisabled: true }, () => setOffset(0));
  const { workspaceId, includeDisabled } = draft;
  const keys = useQuery(KeyService.method.listKeys, {
    offset,
    limit: PAGE,
    includeDisabled,
    ...(workspaceId !== '' && { workspaceId }),
  });
  const close = () => setOpen(undefined);
  return (
    <PageLayout
      title="API keys"
      intro="What applications call the gateway with. Each may have a spending limit of its own."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'create' })}>
          Create API key
        </Button>
      }
    >
      <div className="filters">
        <SelectField
          label="Workspace"
          {...bind('workspaceId')}
          options={[{ value: '', label: 'All workspaces' }, ...workspaces]}
        />
        <SwitchField label="Show disabled keys" {...bind('includeDisabled')} />
      </div>
      <Loaded query={keys} rows={5}>
        {({ data, totalCount }) =>
          totalCount === 0 ? (
            <Empty title="No API keys here yet">Create one to let an application call the gateway.</Empty>
          ) : (
            <Card>
              <KeyTable
                keys={data}
                workspaces={workspaces}
                onEdit={(record) => setOpen({ kind: 'edit', record })}
                onDelete={(record) => setOpen({ kind: 'delete', record })}
              />
              <Pager offset={offset} limit={PAGE} total={totalCount} onMove={setOffset} />
            </Card>
          )
        }
      </Loaded>
      {open?.kind === 'create' && (
        <CreateKey
          workspaces={workspaces}
          onClose={close}
          onCreated={(secret) => setOpen({ kind: 'secret', secret })}
        />
      )}
      {open?.kind === 'secret' && (
        <SecretText title="Your new API key" label="API key" secret={open.secret} onClose={close} />
      )}
      {open?.kind === 'edit' && <EditKey record={open.record} onClose={close} />}
      {open?.kind === 'delete' && <DeleteKey record={open.record} onClose={close} />}
    </PageLayout>
  );
}
