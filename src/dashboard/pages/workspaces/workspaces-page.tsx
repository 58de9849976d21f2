import { useMutation } from '@connectrpc/connect-query';
import { useState } from 'react';
import { WorkspaceService } from '../../../../gen/byway/v1/workspaces_pb.js';
import { textField } from '../../base/changes.js';
import { useWorkspaces } from '../../base/lists.js';
import { linkTo } from '../../base/route.js';
import { instantText } from '../../base/time.js';
import { useForm } from '../../base/use-form.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { Loaded } from '../../ui/loaded.js';
import { Card, PageLayout } from '../../ui/page.js';
import { Table } from '../../ui/table.js';

/** The account's workspaces: API keys and provider keys belong to one each. */
export function WorkspacesPage() {
  const workspaces = useWorkspaces();
  const [isCreating, setCreating] = useState(false);
  return (
    <PageLayout
      title="Workspaces"
      intro="Parts of the account with API keys, provider keys, members and budgets of their own."
      actions={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          Create workspace
        </Button>
      }
    >
      <Loaded query={workspaces}>
        {({ data }) => (
          <Card>
            <Table
              caption="Workspaces"
              columns={[
                {
                  title: 'Name',
                  cell: ({ id, name, description }) => (
                    <div className="two-lines">
                      <a href={linkTo(['workspaces', id])}>{name}</a>
                      {description !== undefined && <span className="muted small">{description}</span>}
                    </div>
                  ),
                },
                { title: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
                {
                  title: 'Default guardrail',
                  cell: ({ defaultGuardrailId }) => (
                    <a href={linkTo(['guardrails', defaultGuardrailId])}>Open</a>
                  ),
                },
                { title: 'Created', cell: ({ createdAt }) => instantText(createdAt) },
              ]}
              rows={data}
              keyOf={({ id }) => id}
            />
          </Card>
        )}
      </Loaded>
      {isCreating && <CreateWorkspace onClose={() => setCreating(false)} />}
    </PageLayout>
  );
}

function CreateWorkspace({ onClose }: { readonly onClose: () => void }) {
  const create = useMutation(WorkspaceService.method.createWorkspace);
  const { draft, bind } = useForm({ name: '', slug: '', description: '' });
  const submit = () =>
    create.mutate(
      { name: draft.name, slug: draft.slug, description: textField(draft.description) },
      {
        onSuccess: ({ data }) => {
          onClose();
          window.location.hash = linkTo(['workspaces', data?.id ?? '']);
        },
      },
    );
  return (
    <Dialog title="Create workspace" onClose={onClose}>
      <Form
        submit="Create"
        onSubmit={submit}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
      >
        <TextField label="Name" {...bind('name')} />
        <TextField label="Slug" {...bind('slug')} hint="Lower-case letters, digits and dashes." isMono />
        <TextField label="Description" {...bind('description')} />
      </Form>
    </Dialog>
  );
}
