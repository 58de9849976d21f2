import { useMutation } from '@connectrpc/connect-query';
import { type ByokKeyTest, ByokService } from '../../../../gen/byway/v1/byok_pb.js';
import type { Option } from '../../base/option.js';
import { useForm } from '../../base/use-form.js';
import { Dialog } from '../../ui/dialog.js';
import { SelectField, SwitchField, TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { useAnnounce } from '../../ui/status.js';
import { CredentialField } from './credential-field.js';
import { BLANK, keyMessageOf } from './draft.js';
import { RuleFields } from './rule-fields.js';

interface CreateByokKeyProps {
  readonly workspaceId: string;
  readonly providers: readonly Option[];
  readonly onClose: () => void;
}

/** The dialog that stores a credential. The page forgets the credential when the dialog closes. */
export function CreateByokKey({ workspaceId, providers, onClose }: CreateByokKeyProps) {
  const create = useMutation(ByokService.method.createByokKey);
  const announce = useAnnounce();
  const { draft, bind } = useForm({ ...BLANK, provider: '', test: true });
  const { provider, test } = draft;
  const submit = () =>
    create.mutate(
      { provider, key: draft.key, workspaceId, test, ...keyMessageOf(draft) },
      {
        onSuccess: ({ test }) => {
          announce(storedText(test));
          onClose();
        },
      },
    );
  return (
    <Dialog title="Add provider key" onClose={onClose} isWide>
      <Form
        submit="Store key"
        onSubmit={submit}
        onCancel={onClose}
        isBusy={create.isPending}
        error={create.error}
      >
        <div className="columns">
          <SelectField
            label="Provider"
            {...bind('provider')}
            options={[{ value: '', label: 'Choose …' }, ...providers]}
          />
          <TextField label="Name" {...bind('name')} hint="To tell several keys apart. Optional." />
        </div>
        <CredentialField provider={provider} label="Credential" {...bind('key')} />
        <SwitchField
          label="Test it once it is stored"
          {...bind('test')}
          hint="One cheap call. The key stays stored, whatever comes of it."
        />
        <RuleFields bind={bind} />
      </Form>
    </Dialog>
  );
}

function storedText(test: ByokKeyTest | undefined): string {
  if (test === undefined) return 'Provider key stored';
  return test.ok
    ? 'Provider key stored, and it works'
    : `Provider key stored, but its test failed: ${test.detail}`;
}
