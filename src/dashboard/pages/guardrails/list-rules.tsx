import { useModelOptions, useProviderOptions } from '../../base/lists.js';
import type { Bind } from '../../base/use-form.js';
import { RestrictionField } from '../../ui/list-field.js';
import type { GuardrailDraft } from './draft.js';

/** The rules of a guardrail that are lists. */
export function ListRules({ bind }: { readonly bind: Bind<GuardrailDraft> }) {
  const models = useModelOptions();
  const providers = useProviderOptions();
  return (
    <div className="columns wide">
      <RestrictionField
        label="Allowed models"
        {...bind('allowedModels')}
        everything="Every model"
        placeholder="author/model"
        options={models}
      />
      <RestrictionField
        label="Ignored models"
        {...bind('ignoredModels')}
        everything="None"
        these="These"
        placeholder="author/model"
        options={models}
      />
      <RestrictionField
        label="Allowed providers"
        {...bind('allowedProviders')}
        everything="Every provider"
        placeholder="provider"
        options={providers}
      />
      <RestrictionField
        label="Ignored providers"
        {...bind('ignoredProviders')}
        everything="None"
        these="These"
        placeholder="provider"
        options={providers}
      />
      <RestrictionField
        label="Allowed regions"
        {...bind('allowedDataRegions')}
        hint="Through which requests may come in; the ordinary host is global."
        everything="Every region"
        placeholder="eu"
        options={[]}
      />
    </div>
  );
}
