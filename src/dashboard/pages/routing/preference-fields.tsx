import { COLLECTION, MAYBE, SORTS } from '../../base/choices.js';
import type { Option } from '../../base/option.js';
import { SelectField, UsdField } from '../../ui/fields.js';
import { ListInput } from '../../ui/list-field.js';
import type { RouteDraft } from './draft.js';

interface PreferenceFieldsProps {
  readonly draft: RouteDraft;
  readonly providers: readonly Option[];
  readonly change: (part: Partial<RouteDraft>) => void;
}

/** The `provider` object of a chat request (docs/routing.md#preferences-of-a-request). */
export function PreferenceFields({ draft, providers, change }: PreferenceFieldsProps) {
  return (
    <div className="form">
      <div className="columns">
        <ListInput
          label="Order"
          name="provider.order"
          placeholder="provider"
          options={providers}
          values={draft.order}
          onChange={(order) => change({ order })}
        />
        <ListInput
          label="Only"
          name="provider.only"
          placeholder="provider"
          options={providers}
          values={draft.only}
          onChange={(only) => change({ only })}
        />
        <ListInput
          label="Ignore"
          name="provider.ignore"
          placeholder="provider"
          options={providers}
          values={draft.ignore}
          onChange={(ignore) => change({ ignore })}
        />
        <ListInput
          label="Quantizations"
          name="provider.quantizations"
          placeholder="fp8"
          options={[]}
          values={draft.quantizations}
          onChange={(quantizations) => change({ quantizations })}
        />
      </div>
      <div className="columns">
        <SelectField
          label="Allow fallbacks"
          name="provider.allow_fallbacks"
          options={MAYBE.options}
          value={draft.allowFallbacks}
          onChange={(allowFallbacks) => change({ allowFallbacks })}
        />
        <SelectField
          label="Require all parameters"
          name="provider.require_parameters"
          options={MAYBE.options}
          value={draft.requireParameters}
          onChange={(requireParameters) => change({ requireParameters })}
        />
        <SelectField
          label="Zero data retention"
          name="provider.zdr"
          options={MAYBE.options}
          value={draft.zdr}
          onChange={(zdr) => change({ zdr })}
        />
        <SelectField
          label="Data collection"
          name="provider.data_collection"
          options={COLLECTION.options}
          value={draft.dataCollection}
          onChange={(dataCollection) => change({ dataCollection })}
        />
        <SelectField
          label="Sort by"
          name="provider.sort"
          options={SORTS.options}
          value={draft.sort}
          onChange={(sort) => change({ sort })}
        />
        <UsdField
          label="Max prompt price per 1M"
          name="provider.max_price.prompt"
          value={draft.maxPromptPrice}
          onChange={(maxPromptPrice) => change({ maxPromptPrice })}
        />
        <UsdField
          label="Max output price per 1M"
          name="provider.max_price.completion"
          value={draft.maxCompletionPrice}
          onChange={(maxCompletionPrice) => change({ maxCompletionPrice })}
        />
      </div>
    </div>
  );
}
