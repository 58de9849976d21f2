import { useMutation } from '@connectrpc/connect-query';
import { type Key, KeyService } from '../../../../gen/byway/v1/keys_pb.js';
import { Confirm } from '../../ui/confirm.js';
import { useAnnounce } from '../../ui/status.js';

/** The confirmation that deletes an API key. */
export function DeleteKey({ record, onClose }: { readonly record: Key; readonly onClose: () => void }) {
  const remove = useMutation(KeyService.method.deleteKey);
  const announce = useAnnounce();
  const confirm = () =>
    remove.mutate(
      { hash: record.hash },
      {
        onSuccess: () => {
          announce('API key deleted');
          onClose();
        },
      },
    );
  return (
    <Confirm
      title={`Delete ${record.name}?`}
      confirm="Delete API key"
      onConfirm={confirm}
      onClose={onClose}
      isBusy={remove.isPending}
      error={remove.error}
    >
      <p>
        <code>{record.label}</code> stops working at once. This can't be undone; to stop it for a while,
        disable it instead.
      </p>
    </Confirm>
  );
}
