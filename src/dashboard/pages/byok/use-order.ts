import { useMutation } from '@connectrpc/connect-query';
import { useState } from 'react';
import { type ByokKey, ByokService } from '../../../../gen/byway/v1/byok_pb.js';
import { useAnnounce } from '../../ui/status.js';
import { moveEntry, orderOf, positionIn, positionText } from './order.js';

/** The order of one provider's keys, and how to change it. */
interface Order {
  readonly order: readonly string[];
  /** Moves a key to an index of the order; the new order shows at once, and stays if the server accepts it. */
  readonly move: (id: string, to: number) => void;
  readonly isBusy: boolean;
  readonly error: unknown;
}

/** Keeps the order on screen in sync with the server's. One move at a time. */
export function useOrder(keys: readonly ByokKey[]): Order {
  const update = useMutation(ByokService.method.updateByokKey);
  const announce = useAnnounce();
  const [pendingOrder, setPendingOrder] = useState<readonly string[]>();
  const stored = orderOf(keys);
  const order = pendingOrder ?? stored;

  const move = (id: string, to: number) => {
    const from = order.indexOf(id);
    if (from === to || from < 0 || update.isPending) return;
    const next = moveEntry(order, from, to);
    const { isFallback, sortOrder } = positionIn(next, id);
    const changesSection = isFallback !== positionIn(stored, id).isFallback;
    setPendingOrder(next);
    update.mutate(
      {
        byokKey: { id, sortOrder, ...(changesSection && { isFallback }) },
        updateMask: { paths: ['sort_order', ...(changesSection ? ['is_fallback'] : [])] },
      },
      {
        onSuccess: () => announce(`Moved to ${positionText({ isFallback, sortOrder })}`),
        onSettled: () => setPendingOrder(undefined),
      },
    );
  };
  return { order, move, isBusy: update.isPending, error: update.error };
}
