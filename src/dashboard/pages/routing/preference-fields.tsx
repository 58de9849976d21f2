import { COLLECTION, MAYBE, SORTS } from '../../base/choices.js';
import type { Option } from '../../base/option.js';
import type { Bind } from '../../base/use-form.js';
import { SelectField, UsdField } from '../../ui/fields.js';
import { ListInput } from '../../ui/list-field.js';
import type { RouteDraft } from './draft.js';

interface PreferenceFieldsProps {
  readonly providers: readonly Option[];
  readonly bind: Bind<RouteDraft>;
}

/** The `provider` object of a chat request (docs/routing.md#preferences-of-a-request). */
export function PreferenceFields({ providers, bind }: PreferenceFieldsProps) {
  return (
    <div className="form">
      <div className="columns">
        <ListInput
          label="Order"
          {...bind('order')}
          name="provider.order"
          placeholder="provider"
          options={providers}
        />
        <ListInput
          label="Only"
          {...bind('only')}
          name="provider.only"
          placeholder="provider"
          options={providers}
        />
        <ListInput
          label="Ignore"
          {...bind('ignore')}
          name="provider.ignore"
          placeholder="provider"
          options={providers}
        />
        <ListInput
          label="Quantizations"
          {...bind('quantizations')}
          name="provider.quantizations"
          placeholder="fp8"
          options={[]}
        />
      </div>
      <div className="columns">
        <SelectField
          label="Allow fallbacks"
          {...bind('allowFallbacks')}
          name="provider.allow_fallbacks"
          options={MAYBE.options}
        />
        <SelectField
          label="Require all parameters"
          {...bind('requireParameters')}
          name="provider.require_parameters"
          options={MAYBE.options}
        />
        <SelectField
          label="Zero data retention"
          {...bind('zdr')}
          name="provider.zdr"
          options={MAYBE.options}
        />
        <SelectField
          label="Data collection"
          {...bind('dataCollection')}
          name="provider.data_collection"
          options={COLLECTION.options}
        />
        <SelectField label="Sort by" {...bind('sort')} name="provider.sort" options={SORTS.options} />
        <UsdField
          label="Max prompt price per 1M"
          {...bind('maxPromptPrice')}
          name="provider.max_price.prompt"
        />
        <UsdField
          label="Max output price per 1M"
          {...bind('maxCompletionPrice')}
          name="provider.max_price.completion"
        />
      </div>
    </div>
  );
}
