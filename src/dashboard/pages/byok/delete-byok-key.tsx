import { useMutation } from '@connectrpc/connect-query';
import { type ByokKey, ByokService } from '../../../../gen/byway/v1/byok_pb.js';
import { Confirm } from '../../ui/confirm.js';
import { useAnnounce } from '../../ui/status.js';

/** The confirmation that deletes a provider key and its credential. */
export function DeleteByokKey({
  record,
  onClose,
}: {
  readonly record: ByokKey;
  readonly onClose: () => void;
}) {
  const remove = useMutation(ByokService.method.deleteByokKey);
  const announce = useAnnounce();
  const confirm = () =>
    remove.mutate(
      { id: record.id },
      {
        onSuccess: () => {
          announce('Provider key deleted');
          onClose();
        },
      },
    );
  return (
    <Confirm
      title={`Delete ${record.name ?? record.label}?`}
      confirm="Delete provider key"
      onConfirm={confirm}
      onClose={onClose}
      isBusy={remove.isPending}
      error={remove.error}
    >
      <p>
        The stored credential <code>{record.label}</code> is deleted with it. Requests no longer use it.
      </p>
    </Confirm>
  );
}
