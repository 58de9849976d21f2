import { useModelOptions, useProviderOptions } from '../../base/lists.js';
import { RestrictionField } from '../../ui/list-field.js';
import type { GuardrailDraft } from './draft.js';

interface ListRulesProps {
  readonly draft: GuardrailDraft;
  readonly change: (part: Partial<GuardrailDraft>) => void;
}

/** The rules of a guardrail that are lists. */
export function ListRules({ draft, change }: ListRulesProps) {
  const models = useModelOptions();
  const providers = useProviderOptions();
  return (
    <div className="columns wide">
      <RestrictionField
        label="Allowed models"
        name="allowed_models"
        everything="Every model"
        placeholder="author/model"
        options={models}
        values={draft.allowedModels}
        onChange={(allowedModels) => change({ allowedModels })}
      />
      <RestrictionField
        label="Ignored models"
        name="ignored_models"
        everything="None"
        these="These"
        placeholder="author/model"
        options={models}
        values={draft.ignoredModels}
        onChange={(ignoredModels) => change({ ignoredModels })}
      />
      <RestrictionField
        label="Allowed providers"
        name="allowed_providers"
        everything="Every provider"
        placeholder="provider"
        options={providers}
        values={draft.allowedProviders}
        onChange={(allowedProviders) => change({ allowedProviders })}
      />
      <RestrictionField
        label="Ignored providers"
        name="ignored_providers"
        everything="None"
        these="These"
        placeholder="provider"
        options={providers}
        values={draft.ignoredProviders}
        onChange={(ignoredProviders) => change({ ignoredProviders })}
      />
      <RestrictionField
        label="Allowed regions"
        name="allowed_data_regions"
        hint="Through which requests may come in; the ordinary host is global."
        everything="Every region"
        placeholder="eu"
        options={[]}
        values={draft.allowedDataRegions}
        onChange={(allowedDataRegions) => change({ allowedDataRegions })}
      />
    </div>
  );
}
