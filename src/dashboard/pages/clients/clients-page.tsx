import { useMutation, useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import { AccountService, type Client } from '../../../../gen/byway/v1/accounts_pb.js';
import { textField } from '../../base/changes.js';
import { instantText } from '../../base/time.js';
import { useForm } from '../../base/use-form.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { Loaded } from '../../ui/loaded.js';
import { Empty } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { SecretText } from '../../ui/secret.js';
import { useAnnounce } from '../../ui/status.js';
import { Pager, Table } from '../../ui/table.js';

const PAGE = 50;

type Open = { kind: 'create' } | { kind: 'delete'; client: Client } | { kind: 'secret'; secret: string };

/** Client applications, which administer API keys of their own with a client secret. */
export function ClientsPage() {
  const [offset, setOffset] = useState(0);
  const [open, setOpen] = useState<Open>();
  const clients = useQuery(AccountService.method.listClients, { offset, limit: PAGE });
  const close = () => setOpen(undefined);
  return (
    <PageLayout
      title="Client applications"
      intro="Applications that create and manage API keys of their own, and reach no others."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'create' })}>
          Create client
        </Button>
      }
    >
      <Loaded query={clients}>
        {({ data, totalCount }) =>
          totalCount === 0 ? (
            <Empty title="No client applications yet">
              Create one to let a platform of yours hand out API keys.
            </Empty>
          ) : (
            <Card>
              <Table
                caption="Client applications"
                columns={[
                  { title: 'Name', cell: ({ name }) => name },
                  {
                    title: 'Member of its keys',
                    cell: ({ userId }) => <code className="break">{userId}</code>,
                  },
                  { title: 'Identifier', cell: ({ id }) => <code className="break">{id}</code> },
                  { title: 'Created', cell: ({ createdAt }) => instantText(createdAt) },
                  {
                    title: 'Actions',
                    isUntitled: true,
                    cell: (client) => (
                      <div className="row-actions">
                        <Button
                          kind="quiet"
                          label={`Delete ${client.name}`}
                          onClick={() => setOpen({ kind: 'delete', client })}
                        >
                          Delete
                        </Button>
                      </div>
                    ),
                  },
                ]}
                rows={data}
                keyOf={({ id }) => id}
              />
              <Pager offset={offset} limit={PAGE} total={totalCount} onMove={setOffset} />
            </Card>
          )
        }
      </Loaded>
      {open?.kind === 'create' && (
        <CreateClient onClose={close} onCreated={(secret) => setOpen({ kind: 'secret', secret })} />
      )}
      {open?.kind === 'secret' && (
        <SecretText
          title="Your new client secret"
          label="Client secret"
          secret={open.secret}
          onClose={close}
        />
      )}
      {open?.kind === 'delete' && <DeleteClient client={open.client} onClose={close} />}
    </PageLayout>
  );
}

interface CreateClientProps {
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
}

function CreateClient({ onClose, onCreated }: CreateClientProps) {
  const create = useMutation(AccountService.method.createClient);
  const { draft, bind } = useForm({ name: '', userId: '' });
  const submit = () => {
    const request = { name: draft.name, userId: textField(draft.userId) };
    create.mutate(request, { onSuccess: ({ clientSecret }) => onCreated(clientSecret) });
  };
  return (
    <Dialog title="Create client application" onClose={onClose}>
      <Form
        submit="Create"
        onSubmit={submit}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
      >
        <TextField label="Name" {...bind('name')} />
        <TextField
          label="Member"
          {...bind('userId')}
          hint="The user whom all its keys belong to. Empty: one of its own."
          placeholder="user_…"
        />
      </Form>
    </Dialog>
  );
}

function DeleteClient({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) {
  const remove = useMutation(AccountService.method.deleteClient);
  const announce = useAnnounce();
  const done = () => {
    announce('Client application deleted');
    onClose();
  };
  return (
    <Confirm
      title={`Delete ${client.name}?`}
      confirm="Delete client"
      onConfirm={() => remove.mutate({ id: client.id }, { onSuccess: done })}
      onClose={onClose}
      isBusy={remove.isPending}
      error={remove.error}
    >
      <p>Its secret stops working at once, and the API keys that it created are disabled.</p>
    </Confirm>
  );
}
