import { useKeyOptions, useModelOptions, useWorkspaceOptions } from '../../base/lists.js';
import type { Bind } from '../../base/use-form.js';
import { SelectField, SwitchField } from '../../ui/fields.js';
import { RestrictionField } from '../../ui/list-field.js';
import type { ByokDraft } from './draft.js';

const SECTIONS = [
  { value: 'prioritized', label: 'Prioritized: before shared capacity' },
  { value: 'fallback', label: 'Fallback: after shared capacity' },
] as const;

const RETENTION = [
  { value: '', label: 'As the endpoint’s own policy says' },
  { value: 'never', label: 'Never for zero-data-retention requests' },
] as const;

const EVERY_WORKSPACE = { value: '*', label: 'Every workspace' } as const;

/** The rules that decide when a provider key is used. */
export function RuleFields({ bind }: { readonly bind: Bind<ByokDraft> }) {
  const models = useModelOptions();
  const apiKeys = useKeyOptions();
  const workspaces = useWorkspaceOptions();
  const [isFallback, declaredZdr] = [bind('isFallback'), bind('declaredZdr')];
  return (
    <>
      <div className="columns">
        <SelectField
          label="Section"
          name="is_fallback"
          value={isFallback.value ? 'fallback' : 'prioritized'}
          options={SECTIONS}
          onChange={(section) => isFallback.onChange(section === 'fallback')}
        />
        <SelectField
          label="Zero data retention"
          name="declared_zdr"
          value={declaredZdr.value === false ? 'never' : ''}
          options={RETENTION}
          onChange={(retention) => declaredZdr.onChange(retention === 'never' ? false : null)}
        />
      </div>
      <SwitchField
        label="Always use for this provider"
        {...bind('isRequired')}
        hint="Requests that this key matches never fall back to the provider’s shared capacity. Prioritized keys only."
      />
      <SwitchField
        label="Only own keys for this provider"
        {...bind('isByokOnly')}
        hint="Removes the provider’s shared capacity for every model, not just those of the filter. Prioritized keys only."
      />
      <SwitchField label="Disabled" {...bind('disabled')} hint="A disabled key has no effect at all." />
      <RestrictionField
        label="Models"
        {...bind('allowedModels')}
        everything="Every model"
        placeholder="author/model"
        options={models}
      />
      <RestrictionField
        label="API keys"
        {...bind('allowedApiKeyHashes')}
        everything="Every API key"
        placeholder="Add an API key …"
        isClosed
        options={apiKeys}
      />
      <RestrictionField
        label="Members"
        {...bind('allowedUserIds')}
        everything="Every member"
        placeholder="user_…"
        options={[]}
      />
      {workspaces.length > 1 && (
        <RestrictionField
          label="Workspaces"
          {...bind('workspaceIds')}
          everything="This workspace alone"
          placeholder="Add a workspace …"
          isClosed
          options={[EVERY_WORKSPACE, ...workspaces]}
        />
      )}
    </>
  );
}
