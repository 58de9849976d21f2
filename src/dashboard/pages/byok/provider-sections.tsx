import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable';
import type { ByokKey } from '../../../../gen/byway/v1/byok_pb.js';
import { Badge, FailureNotice } from '../../ui/notices.js';
import { Card } from '../../ui/page.js';
import { announcements, INSTRUCTIONS } from './announcements.js';
import { KeyItem } from './key-item.js';
import { SHARED } from './order.js';
import { SharedItem } from './shared-item.js';
import { useOrder } from './use-order.js';

interface ProviderSectionsProps {
  readonly title: string;
  readonly keys: readonly ByokKey[];
  /** Keys of other workspaces that this one may use. */
  readonly ofOthers: readonly ByokKey[];
  readonly workspaceNameOf: (workspaceId: string) => string;
  readonly onEdit: (key: ByokKey) => void;
  readonly onDelete: (key: ByokKey) => void;
}

/** How far a pointer moves before it drags: less is a click. */
const DRAG_PIXELS = 4;

/**
 * The two sections of one provider's keys as one list in the order of routing, with shared capacity between them:
 * what is dragged past it changes its section.
 */
export function ProviderSections({
  title,
  keys,
  ofOthers,
  workspaceNameOf,
  onEdit,
  onDelete,
}: ProviderSectionsProps) {
  const { order, move, isBusy, error } = useOrder(keys);
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: DRAG_PIXELS } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const byId = new Map(keys.map((key) => [key.id, key]));
  const nameOf = (id: string) => byId.get(id)?.name ?? byId.get(id)?.label ?? 'key';
  const drop = ({ active, over }: DragEndEvent) => {
    if (over !== null) move(String(active.id), order.indexOf(String(over.id)));
  };
  return (
    <Card title={title}>
      <FailureNotice error={error} />
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={drop}
        accessibility={{
          announcements: announcements(order, nameOf),
          screenReaderInstructions: { draggable: INSTRUCTIONS },
        }}
      >
        <SortableContext items={[...order]} strategy={verticalListSortingStrategy}>
          <ol
            className="sections"
            aria-label={`${title}: keys in the order they are tried`}
            aria-busy={isBusy}
          >
            <li className="section-title">
              <h3>Prioritized</h3>
              <span className="muted small">tried first</span>
            </li>
            {order[0] === SHARED && <li className="section-empty">No prioritized keys</li>}
            {order.map((id, index) => {
              const key = byId.get(id);
              if (key === undefined)
                return <SharedItem key={id} isLast={index === order.length - 1} keys={keys} />;
              return (
                <KeyItem
                  key={id}
                  record={key}
                  onUp={index === 0 ? undefined : () => move(id, index - 1)}
                  onDown={index === order.length - 1 ? undefined : () => move(id, index + 1)}
                  onEdit={() => onEdit(key)}
                  onDelete={() => onDelete(key)}
                />
              );
            })}
          </ol>
        </SortableContext>
      </DndContext>
      {ofOthers.length > 0 && (
        <ol className="sections" aria-label={`${title}: keys of other workspaces`}>
          <li className="section-title">
            <h3>Of other workspaces</h3>
            <span className="muted small">
              tried after these, each in its section; changed where it belongs
            </span>
          </li>
          {ofOthers.map((key) => (
            <KeyOfOther key={key.id} record={key} workspace={workspaceNameOf(key.workspaceId)} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function KeyOfOther({ record, workspace }: { readonly record: ByokKey; readonly workspace: string }) {
  return (
    <li className={record.disabled ? 'byok-key off' : 'byok-key'}>
      <div className="byok-text">
        <span className="byok-name">{record.name ?? record.label}</span>
        <span className="badges">
          <Badge>{workspace}</Badge>
          <Badge>{record.isFallback ? 'Fallback' : 'Prioritized'}</Badge>
          {record.disabled && <Badge tone="warning">Disabled</Badge>}
        </span>
      </div>
    </li>
  );
}
