import { useKeyOptions, useModelOptions, useWorkspaceOptions } from '../../base/lists.js';
import { SelectField, SwitchField } from '../../ui/fields.js';
import { RestrictionField } from '../../ui/list-field.js';
import type { ByokDraft } from './draft.js';

interface RuleFieldsProps {
  readonly draft: ByokDraft;
  readonly change: (part: Partial<ByokDraft>) => void;
}

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
export function RuleFields({ draft, change }: RuleFieldsProps) {
  const models = useModelOptions();
  const apiKeys = useKeyOptions();
  const workspaces = useWorkspaceOptions();
  return (
    <>
      <div className="columns">
        <SelectField
          label="Section"
          name="is_fallback"
          value={draft.isFallback ? 'fallback' : 'prioritized'}
          options={SECTIONS}
          onChange={(section) => change({ isFallback: section === 'fallback' })}
        />
        <SelectField
          label="Zero data retention"
          name="declared_zdr"
          value={draft.declaredZdr === false ? 'never' : ''}
          options={RETENTION}
          onChange={(value) => change({ declaredZdr: value === 'never' ? false : null })}
        />
      </div>
      <SwitchField
        label="Always use for this provider"
        name="is_required"
        hint="Requests that this key matches never fall back to the provider’s shared capacity. Prioritized keys only."
        checked={draft.isRequired}
        onChange={(isRequired) => change({ isRequired })}
      />
      <SwitchField
        label="Only own keys for this provider"
        name="is_byok_only"
        hint="Removes the provider’s shared capacity for every model, not just those of the filter. Prioritized keys only."
        checked={draft.isByokOnly}
        onChange={(isByokOnly) => change({ isByokOnly })}
      />
      <SwitchField
        label="Disabled"
        name="disabled"
        hint="A disabled key has no effect at all."
        checked={draft.disabled}
        onChange={(disabled) => change({ disabled })}
      />
      <RestrictionField
        label="Models"
        name="allowed_models"
        everything="Every model"
        placeholder="author/model"
        options={models}
        values={draft.allowedModels}
        onChange={(allowedModels) => change({ allowedModels })}
      />
      <RestrictionField
        label="API keys"
        name="allowed_api_key_hashes"
        everything="Every API key"
        placeholder="Add an API key …"
        isClosed
        options={apiKeys}
        values={draft.allowedApiKeyHashes}
        onChange={(allowedApiKeyHashes) => change({ allowedApiKeyHashes })}
      />
      <RestrictionField
        label="Members"
        name="allowed_user_ids"
        everything="Every member"
        placeholder="user_…"
        options={[]}
        values={draft.allowedUserIds}
        onChange={(allowedUserIds) => change({ allowedUserIds })}
      />
      {workspaces.length > 1 && (
        <RestrictionField
          label="Workspaces"
          name="workspace_ids"
          everything="This workspace alone"
          placeholder="Add a workspace …"
          isClosed
          options={[EVERY_WORKSPACE, ...workspaces]}
          values={draft.workspaceIds}
          onChange={(workspaceIds) => change({ workspaceIds })}
        />
      )}
    </>
  );
}
