import { useMutation } from '@connectrpc/connect-query';
import { GuardrailService } from '../../../../gen/byway/v1/guardrails_pb.js';
import { textField } from '../../base/changes.js';
import type { Option } from '../../base/option.js';
import { linkTo } from '../../base/route.js';
import { useForm } from '../../base/use-form.js';
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
  const { draft, bind } = useForm({ name: '', description: '', workspaceId: '' });
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
        <TextField label="Name" {...bind('name')} />
        <TextField label="Description" {...bind('description')} />
        <SelectField
          label="Workspace"
          {...bind('workspaceId')}
          options={[{ value: '', label: 'Default workspace' }, ...workspaces]}
        />
      </Form>
    </Dialog>
  );
}
