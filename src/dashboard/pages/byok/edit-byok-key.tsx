import { useMutation } from '@connectrpc/connect-query';
import { type ByokKey, ByokService } from '../../../../gen/byway/v1/byok_pb.js';
import { useForm } from '../../base/use-form.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { useAnnounce } from '../../ui/status.js';
import { CredentialField } from './credential-field.js';
import { keyDraftOf, keyMessageOf } from './draft.js';
import { RuleFields } from './rule-fields.js';

/** The dialog that changes a provider key or replaces its credential in place. */
export function EditByokKey({ record, onClose }: { readonly record: ByokKey; readonly onClose: () => void }) {
  const update = useMutation(ByokService.method.updateByokKey);
  const announce = useAnnounce();
  const { draft, bind, changedPaths } = useForm(() => keyDraftOf(record));
  const submit = () => {
    const paths = changedPaths();
    if (paths.length === 0) return onClose();
    const credential = draft.key === '' ? {} : { key: draft.key };
    return update.mutate(
      { byokKey: { id: record.id, ...keyMessageOf(draft), ...credential }, updateMask: { paths } },
      {
        onSuccess: () => {
          announce('Provider key saved');
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title={`Edit ${record.name ?? record.label}`} onClose={onClose} isWide>
      <Form submit="Save" onSubmit={submit} onCancel={onClose} isBusy={update.isPending} error={update.error}>
        <TextField label="Name" {...bind('name')} />
        <CredentialField
          provider={record.provider}
          label={`Replace the credential ${record.label} (empty keeps it)`}
          {...bind('key')}
        />
        <RuleFields bind={bind} />
      </Form>
    </Dialog>
  );
}
