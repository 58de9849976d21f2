import { useSortable } from '@dnd-kit/sortable';
import type { ByokKey } from '../../../../gen/byway/v1/byok_pb.js';
import { SHARED } from './order.js';
import { shiftOf } from './shift.js';

interface SharedItemProps {
  /** Whether no key follows. */
  readonly isLast: boolean;
  readonly keys: readonly ByokKey[];
}

/** Shared capacity, which is tried between the sections, and the heading of the Fallback section. */
export function SharedItem({ isLast, keys }: SharedItemProps) {
  const { setNodeRef, transform, transition } = useSortable({ id: SHARED, disabled: { draggable: true } });
  return (
    <li ref={setNodeRef} className="shared-item" style={{ transform: shiftOf(transform), transition }}>
      <p className="between">{sharedUse(keys)}</p>
      <div className="section-title">
        <h3>Fallback</h3>
        <span className="muted small">tried last</span>
      </div>
      {isLast && <p className="section-empty">No fallback keys</p>}
    </li>
  );
}

/** When shared capacity is left out (docs/routing.md#byok-keys). */
function sharedUse(keys: readonly ByokKey[]): string {
  const enabled = keys.filter(({ disabled }) => !disabled);
  const only = enabled.filter(({ isByokOnly }) => isByokOnly);
  if (only.some(({ allowedApiKeyHashes, allowedUserIds }) => !allowedApiKeyHashes && !allowedUserIds)) {
    return 'Shared capacity is left out: only your own keys are used';
  }
  if (only.length > 0) return 'Then shared capacity, but not for callers whom a “BYOK only” key admits';
  if (enabled.some(({ isRequired }) => isRequired)) {
    return 'Then shared capacity, but not for requests that an “always use” key matches';
  }
  return 'Then shared capacity';
}
