import { RESETS } from '../../base/choices.js';
import type { Bind } from '../../base/use-form.js';
import { SelectField, SwitchField, UsdField } from '../../ui/fields.js';

/** What a key says of its end users, as typed. */
export interface EndUserDraft {
  /** Decimal USD; empty = no limit. */
  readonly endUserLimit: string;
  /** An option of `RESETS`. */
  readonly endUserLimitReset: string;
  readonly endUserRequired: boolean;
}

/** The limit of each end user of a key, and whether requests must have one. */
export function EndUserFields({ bind }: { readonly bind: Bind<EndUserDraft> }) {
  return (
    <>
      <div className="columns">
        <UsdField
          label="Limit of each end user (USD)"
          {...bind('endUserLimit')}
          hint="For everyone behind this key alone. Empty: no limit."
        />
        <SelectField
          label="Begins anew"
          {...bind('endUserLimitReset')}
          hint="At midnight UTC; weeks start on Monday."
          options={RESETS.options}
        />
      </div>
      <SwitchField
        label="End user required"
        {...bind('endUserRequired')}
        hint="Requests that say nobody are refused: by X-Byway-End-User, user, safety_identifier or metadata.user_id."
      />
    </>
  );
}
