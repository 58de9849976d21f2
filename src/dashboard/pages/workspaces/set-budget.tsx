import { useMutation } from '@connectrpc/connect-query';
import { type BudgetInterval, WorkspaceService } from '../../../../gen/byway/v1/workspaces_pb.js';
import { useByokAnswer } from '../../base/byok-answer.js';
import { usdField } from '../../base/changes.js';
import { decimalText } from '../../base/decimal.js';
import { useForm } from '../../base/use-form.js';
import { ByokSpendField } from '../../ui/byok-spend.js';
import { Dialog } from '../../ui/dialog.js';
import { UsdField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { useAnnounce } from '../../ui/status.js';

interface SetBudgetProps {
  /** The workspace's identifier. */
  readonly id: string;
  readonly interval: BudgetInterval;
  readonly title: string;
  /** The current budget; undefined = none. */
  readonly limitUsd: number | undefined;
  readonly includeByokInBudgets: boolean;
  /** Whether the workspace has a budget of any interval. */
  readonly hasBudget: boolean;
  readonly onClose: () => void;
}

/** The dialog that sets one budget of a workspace. */
export function SetBudget(props: SetBudgetProps) {
  const { id, interval, title, limitUsd, includeByokInBudgets, hasBudget, onClose } = props;
  const put = useMutation(WorkspaceService.method.putWorkspaceBudget);
  const announce = useAnnounce();
  const { draft, bind } = useForm({
    limitUsd: limitUsd === undefined ? '' : decimalText(limitUsd),
    includeByokInBudgets,
  });
  const byok = useByokAnswer({
    includesByok: draft.includeByokInBudgets,
    hadLimit: hasBudget,
    hasLimit: draft.limitUsd.trim() !== '',
    scope: { workspaceId: id },
  });
  const submit = () =>
    put.mutate(
      { id, interval, limitUsd: usdField(draft.limitUsd), includeByokInBudgets: byok.includesByok },
      {
        onSuccess: () => {
          announce(`${title} budget set`);
          onClose();
        },
      },
    );
  return (
    <Dialog title={`${title} budget`} onClose={onClose}>
      <Form
        submit="Save"
        onSubmit={submit}
        onCancel={onClose}
        isBusy={put.isPending || byok.isPending}
        error={put.error}
      >
        <UsdField label="Budget (USD)" {...bind('limitUsd')} />
        <ByokSpendField
          label="BYOK spend counts"
          name="include_byok_in_budgets"
          hint="One setting for all intervals of the workspace; it takes effect at once."
          answer={byok}
          onChange={bind('includeByokInBudgets').onChange}
        />
      </Form>
    </Dialog>
  );
}
