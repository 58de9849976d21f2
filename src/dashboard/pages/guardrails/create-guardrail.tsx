import { useMutation } from '@connectrpc/connect-query';
import { GuardrailService } from '../../../../gen/byway/v1/guardrails_pb.js';
import { textField } from '../../base/changes.js';
import type { Option } from '../../base/option.js';
import { linkTo } from '../../base/route.js';
import { useDraft } from '../../base/use-draft.js';
import { Dialog } from '../../ui/dialog.js';
import { SelectField, TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';

interface CreateGuardrailProps {
  readonly workspaces: readonly Option[];
  readonly onClose: () => void;
}

/** The dialog that creates an empty guardrail and goes to its page, where its rules are set. */
export function CreateGuardrail({ workspaces, onClose }: CreateGuardrailProps) {
  const create = useMutation(GuardrailService.method.createGuardrail);
  const { draft, change } = useDraft({ name: '', description: '', workspaceId: '' });
  const submit = () =>
    create.mutate(
      {
        name: draft.name,
        description: textField(draft.description),
        workspaceId: textField(draft.workspaceId),
      },
      {
        onSuccess: ({ data }) => {
          onClose();
          window.location.hash = linkTo(['guardrails', data?.id ?? '']);
        },
      },
    );
  return (
    <Dialog title="Create guardrail" onClose={onClose}>
      <Form
        submit="Create"
        onSubmit={submit}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
      >
        <TextField label="Name" name="name" value={draft.name} onChange={(name) => change({ name })} />
        <TextField
          label="Description"
          name="description"
          value={draft.description}
          onChange={(description) => change({ description })}
        />
        <SelectField
          label="Workspace"
          name="workspace_id"
          value={draft.workspaceId}
          options={[{ value: '', label: 'Default workspace' }, ...workspaces]}
          onChange={(workspaceId) => change({ workspaceId })}
        />
      </Form>
    </Dialog>
  );
}
