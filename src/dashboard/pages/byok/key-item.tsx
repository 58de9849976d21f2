import { useMutation } from '@connectrpc/connect-query';
import { useSortable } from '@dnd-kit/sortable';
import { type ByokKey, type ByokKeyRefusal, ByokService } from '../../../../gen/byway/v1/byok_pb.js';
import { CHANGES_NOTHING } from '../../session/query-client.js';
import { Button, IconButton } from '../../ui/button.js';
import { Icon } from '../../ui/icons.js';
import { Badge, Warnings } from '../../ui/notices.js';
import { shiftOf } from './shift.js';
import { TestResult } from './test-result.js';

interface KeyItemProps {
  readonly record: ByokKey;
  /** Undefined for the first key. */
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

/** One provider key: a handle to drag it by, the same moves as buttons, and its rules. */
export function KeyItem({ record, onUp, onDown, onEdit, onDelete }: KeyItemProps) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({ id: record.id });
  const test = useMutation(ByokService.method.testByokKey, { meta: CHANGES_NOTHING });
  const name = record.name ?? record.label;
  const classes = ['byok-key', isDragging && 'dragged', record.disabled && 'off'].filter(Boolean).join(' ');
  return (
    <li ref={setNodeRef} className={classes} style={{ transform: shiftOf(transform), transition }}>
      <button
        ref={setActivatorNodeRef}
        type="button"
        className="icon-button grip"
        {...attributes}
        {...listeners}
        aria-label={`Drag ${name}`}
      >
        <Icon name="grip" />
      </button>
      <div className="byok-text">
        <span className="byok-name">{name}</span>
        {record.name !== undefined && <span className="muted mono small">{record.label}</span>}
        <span className="badges">
          <Badges record={record} />
        </span>
      </div>
      <div className="row-actions">
        <IconButton
          icon="up"
          label={`Move ${name} up`}
          disabled={onUp === undefined}
          onClick={() => onUp?.()}
        />
        <IconButton
          icon="down"
          label={`Move ${name} down`}
          disabled={onDown === undefined}
          onClick={() => onDown?.()}
        />
        <Button
          kind="quiet"
          label={`Test ${name}`}
          isBusy={test.isPending}
          onClick={() => test.mutate({ id: record.id })}
        >
          Test
        </Button>
        <Button kind="quiet" label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        <Button kind="quiet" label={`Delete ${name}`} onClick={onDelete}>
          Delete
        </Button>
      </div>
      <Warnings warnings={record.warnings} />
      <TestResult result={test.data?.data} error={test.error} />
    </li>
  );
}

/** Words for the reasons of refusals. */
const REFUSALS: Readonly<Record<string, string>> = {
  credential_refused: 'Refused by the provider',
  quota_exhausted: 'No balance or quota left',
};

function Refused({ refusal: { reason, refusedAt } }: { readonly refusal: ByokKeyRefusal }) {
  return (
    <span title={`Since ${refusedAt}`}>
      <Badge tone="warning">{REFUSALS[reason] ?? reason}</Badge>
    </span>
  );
}

function Badges({ record }: { readonly record: ByokKey }) {
  const filters = [
    { list: record.allowedModels, one: 'model', many: 'models' },
    { list: record.allowedApiKeyHashes, one: 'API key', many: 'API keys' },
    { list: record.allowedUserIds, one: 'member', many: 'members' },
  ];
  return (
    <>
      {record.disabled && <Badge tone="warning">Disabled</Badge>}
      {record.refusal !== undefined && <Refused refusal={record.refusal} />}
      {record.isRequired && <Badge tone="accent">Always use</Badge>}
      {record.isByokOnly && <Badge tone="accent">BYOK only</Badge>}
      {record.declaredZdr === false && <Badge>Not for ZDR</Badge>}
      {record.workspaceIds !== undefined && (
        <Badge tone="accent">{furtherText(record.workspaceIds.values)}</Badge>
      )}
      {filters.map(
        ({ list, one, many }) =>
          list !== undefined && (
            <Badge key={one}>
              {list.values.length} {list.values.length === 1 ? one : many}
            </Badge>
          ),
      )}
    </>
  );
}

function furtherText(ids: readonly string[]): string {
  if (ids[0] === '*') return 'Every workspace';
  return ids.length === 1 ? '1 further workspace' : `${ids.length} further workspaces`;
}
