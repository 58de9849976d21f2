import { useMutation } from '@connectrpc/connect-query';
import { type Key, KeyService } from '../../../../gen/byway/v1/keys_pb.js';
import { useByokAnswer } from '../../base/byok-answer.js';
import { usdField } from '../../base/changes.js';
import { RESETS } from '../../base/choices.js';
import { decimalText } from '../../base/decimal.js';
import { useForm } from '../../base/use-form.js';
import { Dialog } from '../../ui/dialog.js';
import { SwitchField, TextField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { useAnnounce } from '../../ui/status.js';
import { CacheField, cacheTtlField } from './cache-field.js';
import { EndUserFields } from './end-user-fields.js';
import { LimitFields } from './limit-fields.js';

/** The dialog that changes an API key. Only changed fields are sent. */
export function EditKey({ record, onClose }: { readonly record: Key; readonly onClose: () => void }) {
  const update = useMutation(KeyService.method.updateKey);
  const announce = useAnnounce();
  const { draft, bind, changedPaths } = useForm(() => draftOf(record));
  const byok = useByokAnswer({
    includesByok: draft.includeByokInLimit,
    hadLimit: record.limit !== undefined || record.endUserLimit !== undefined,
    hasLimit: draft.limit.trim() !== '' || draft.endUserLimit.trim() !== '',
    scope: { apiKeyHash: record.hash, workspaceId: record.workspaceId },
  });
  const submit = () => {
    const includeByokInLimit = byok.includesByok;
    const paths = changedPaths({ ...draft, includeByokInLimit });
    if (paths.length === 0) return onClose();
    const { name, disabled, endUserRequired } = draft;
    const limits = {
      limit: usdField(draft.limit),
      limitReset: RESETS.read(draft.limitReset),
      endUserLimit: usdField(draft.endUserLimit),
      endUserLimitReset: RESETS.read(draft.endUserLimitReset),
    };
    const cacheTtl = cacheTtlField(draft.cacheTtl);
    const key = {
      hash: record.hash,
      name,
      disabled,
      includeByokInLimit,
      endUserRequired,
      cacheTtl,
      ...limits,
    };
    return update.mutate(
      { key, updateMask: { paths } },
      {
        onSuccess: () => {
          announce('API key saved');
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title={`Edit ${record.name}`} onClose={onClose}>
      <Form
        submit="Save"
        onSubmit={submit}
        onCancel={onClose}
        isBusy={update.isPending || byok.isPending}
        error={update.error}
      >
        <TextField label="Name" {...bind('name')} />
        <LimitFields bind={bind} byok={byok} />
        <EndUserFields bind={bind} />
        <CacheField bind={bind} stored={String(record.cacheTtl ?? '')} />
        <SwitchField
          label="Disabled"
          {...bind('disabled')}
          hint="A disabled key is refused until it is enabled again."
        />
        <p className="muted small break">
          Hash <code>{record.hash}</code>
        </p>
      </Form>
    </Dialog>
  );
}

function draftOf(key: Key) {
  const { name = '', disabled = false, includeByokInLimit = false, endUserRequired = false } = key;
  const amount = (usd: number | undefined) => (usd === undefined ? '' : decimalText(usd));
  return {
    name,
    disabled,
    limit: amount(key.limit),
    limitReset: RESETS.show(key.limitReset),
    includeByokInLimit,
    endUserLimit: amount(key.endUserLimit),
    endUserLimitReset: RESETS.show(key.endUserLimitReset),
    endUserRequired,
    cacheTtl: String(key.cacheTtl ?? ''),
  };
}
