import { useMutation } from '@connectrpc/connect-query';
import { type Guardrail, GuardrailService } from '../../../../gen/byway/v1/guardrails_pb.js';
import { useByokAnswer } from '../../base/byok-answer.js';
import { COLLECTION, RESETS } from '../../base/choices.js';
import { useForm } from '../../base/use-form.js';
import { ByokSpendField } from '../../ui/byok-spend.js';
import { SelectField, SwitchField, TextField, UsdField } from '../../ui/fields.js';
import { Form } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { useAnnounce } from '../../ui/status.js';
import { draftOf, messageOf } from './draft.js';
import { ListRules } from './list-rules.js';

/** The rules of a guardrail. Only changed fields are sent. */
export function RulesCard({ stored }: { readonly stored: Guardrail }) {
  const update = useMutation(GuardrailService.method.updateGuardrail);
  const announce = useAnnounce();
  const { draft, bind, changedPaths, saved } = useForm(() => draftOf(stored));
  const byok = useByokAnswer({
    includesByok: draft.includeByokInBudgets,
    hadLimit: stored.limitUsd !== undefined,
    hasLimit: draft.limitUsd.trim() !== '',
    scope: { workspaceId: stored.workspaceId },
  });
  const submit = () => {
    const final = { ...draft, includeByokInBudgets: byok.includesByok };
    const paths = changedPaths(final);
    if (paths.length === 0) return announce('Nothing has changed');
    return update.mutate(
      { guardrail: { id: stored.id, ...messageOf(final) }, updateMask: { paths } },
      {
        onSuccess: () => {
          saved(final);
          announce('Guardrail saved');
        },
      },
    );
  };
  return (
    <Card title="Rules">
      <Form submit="Save" onSubmit={submit} isBusy={update.isPending || byok.isPending} error={update.error}>
        <div className="columns">
          <TextField label="Name" {...bind('name')} />
          <TextField label="Description" {...bind('description')} />
        </div>
        <div className="columns">
          <UsdField
            label="Budget (USD)"
            {...bind('limitUsd')}
            hint="For each key and each member that it applies to. Empty: none."
          />
          <SelectField
            label="Budget resets"
            {...bind('resetInterval')}
            hint="At midnight UTC; weeks start on Monday."
            options={RESETS.options}
          />
          <SelectField
            label="Data collection by providers"
            {...bind('dataCollection')}
            options={COLLECTION.options}
          />
        </div>
        <ByokSpendField
          label="BYOK spend counts toward the budget"
          name="include_byok_in_budgets"
          answer={byok}
          onChange={bind('includeByokInBudgets').onChange}
        />
        <SwitchField label="Zero data retention only" {...bind('enforceZdr')} />
        <ListRules bind={bind} />
      </Form>
    </Card>
  );
}
