import { useMutation } from '@connectrpc/connect-query';
import { KeyService } from '../../../../gen/byway/v1/keys_pb.js';
import { useByokAnswer } from '../../base/byok-answer.js';
import { textField, usdField } from '../../base/changes.js';
import { RESETS } from '../../base/choices.js';
import type { Option } from '../../base/option.js';
import { dateOf } from '../../base/time.js';
import { useForm } from '../../base/use-form.js';
import { Dialog } from '../../ui/dialog.js';
import { SelectField, TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { CacheField, cacheTtlField } from './cache-field.js';
import { EndUserFields } from './end-user-fields.js';
import { LimitFields } from './limit-fields.js';

interface CreateKeyProps {
  readonly workspaces: readonly Option[];
  readonly onClose: () => void;
  /** Gets the secret, which is never shown again. */
  readonly onCreated: (secret: string) => void;
}

const BLANK = {
  name: '',
  limit: '',
  limitReset: '',
  includeByokInLimit: false,
  endUserLimit: '',
  endUserLimitReset: '',
  endUserRequired: false,
  cacheTtl: '',
  expiresAt: '',
  workspaceId: '',
  creatorUserId: '',
};

export function CreateKey({ workspaces, onClose, onCreated }: CreateKeyProps) {
  const create = useMutation(KeyService.method.createKey);
  const { draft, bind } = useForm(BLANK);
  const byok = useByokAnswer({
    includesByok: draft.includeByokInLimit,
    hadLimit: false,
    hasLimit: draft.limit.trim() !== '' || draft.endUserLimit.trim() !== '',
    scope: { workspaceId: textField(draft.workspaceId) },
  });
  const submit = () => {
    const request = {
      name: draft.name,
      includeByokInLimit: byok.includesByok,
      limit: usdField(draft.limit),
      limitReset: RESETS.read(draft.limitReset),
      endUserLimit: usdField(draft.endUserLimit),
      endUserLimitReset: RESETS.read(draft.endUserLimitReset),
      endUserRequired: draft.endUserRequired,
      cacheTtl: cacheTtlField(draft.cacheTtl),
      expiresAt: dateOf(draft.expiresAt),
      workspaceId: textField(draft.workspaceId),
      creatorUserId: textField(draft.creatorUserId),
    };
    create.mutate(request, { onSuccess: ({ key }) => onCreated(key) });
  };
  return (
    <Dialog title="Create API key" onClose={onClose}>
      <Form
        submit="Create"
        onSubmit={submit}
        onCancel={onClose}
        isBusy={create.isPending || byok.isPending}
        error={create.error}
      >
        <TextField label="Name" {...bind('name')} placeholder="Production web app" />
        <LimitFields bind={bind} byok={byok} />
        <EndUserFields bind={bind} />
        <CacheField bind={bind} />
        <div className="columns">
          <SelectField
            label="Workspace"
            {...bind('workspaceId')}
            options={[{ value: '', label: 'Default workspace' }, ...workspaces]}
          />
          <TextField
            label="Expires"
            {...bind('expiresAt')}
            type="datetime-local"
            hint="In your time zone. Empty: never."
          />
        </div>
        <TextField
          label="Member"
          {...bind('creatorUserId')}
          hint="The user whom requests with this key belong to. Empty: the account's owner."
          placeholder="user_…"
        />
      </Form>
    </Dialog>
  );
}
