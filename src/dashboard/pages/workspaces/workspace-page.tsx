import { useMutation, useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import { type Workspace, WorkspaceService } from '../../../../gen/byway/v1/workspaces_pb.js';
import { textField } from '../../base/changes.js';
import { linkTo } from '../../base/route.js';
import { useForm } from '../../base/use-form.js';
import { LEAVES_PAGE } from '../../session/query-client.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { Loaded } from '../../ui/loaded.js';
import { Card, PageLayout } from '../../ui/page.js';
import { useAnnounce } from '../../ui/status.js';
import { Budgets } from './budgets.js';
import { WorkspaceMembers } from './members.js';

/** One workspace: its details, budgets and members. */
export function WorkspacePage({ id }: { readonly id: string }) {
  const query = useQuery(WorkspaceService.method.getWorkspace, { id });
  const [isDeleting, setDeleting] = useState(false);
  return (
    <PageLayout
      title={query.data?.data?.name ?? 'Workspace'}
      parent={{ title: 'Workspaces', href: linkTo(['workspaces']) }}
      actions={
        <>
          {query.data?.data !== undefined && (
            <a className="button plain" href={linkTo(['guardrails', query.data.data.defaultGuardrailId])}>
              Default guardrail
            </a>
          )}
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete workspace
          </Button>
        </>
      }
    >
      <Loaded query={query} rows={5}>
        {({ data }) =>
          data !== undefined && (
            <>
              <DetailsCard key={data.id} stored={data} />
              <Budgets id={data.id} />
              <WorkspaceMembers id={id} />
              {isDeleting && <DeleteWorkspace workspace={data} onClose={() => setDeleting(false)} />}
            </>
          )
        }
      </Loaded>
    </PageLayout>
  );
}

function DetailsCard({ stored }: { readonly stored: Workspace }) {
  const update = useMutation(WorkspaceService.method.updateWorkspace);
  const announce = useAnnounce();
  const { draft, bind, changedPaths, saved } = useForm(() => ({
    name: stored.name ?? '',
    slug: stored.slug ?? '',
    description: stored.description ?? '',
  }));
  const submit = () => {
    const paths = changedPaths();
    if (paths.length === 0) return announce('Nothing has changed');
    const { name, slug } = draft;
    const done = () => {
      saved();
      announce('Workspace saved');
    };
    return update.mutate(
      {
        workspace: { id: stored.id, name, slug, description: textField(draft.description) },
        updateMask: { paths },
      },
      { onSuccess: done },
    );
  };
  return (
    <Card title="Details">
      <Form submit="Save" onSubmit={submit} isBusy={update.isPending} error={update.error}>
        <div className="columns">
          <TextField label="Name" {...bind('name')} />
          <TextField label="Slug" {...bind('slug')} isMono />
        </div>
        <TextField label="Description" {...bind('description')} />
      </Form>
    </Card>
  );
}

function DeleteWorkspace({
  workspace,
  onClose,
}: {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}) {
  const remove = useMutation(WorkspaceService.method.deleteWorkspace, { meta: LEAVES_PAGE });
  const announce = useAnnounce();
  const done = () => {
    announce('Workspace deleted');
    window.location.hash = linkTo(['workspaces']);
  };
  return (
    <Confirm
      title={`Delete ${workspace.name}?`}
      confirm="Delete workspace"
      onConfirm={() => remove.mutate({ id: workspace.id }, { onSuccess: done })}
      onClose={onClose}
      isBusy={remove.isPending}
      error={remove.error}
    >
      <p>
        Its budgets, members and default guardrail go with it. A workspace that still has keys can't be
        deleted.
      </p>
    </Confirm>
  );
}
