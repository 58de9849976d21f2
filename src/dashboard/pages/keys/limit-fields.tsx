import { RESETS } from '../../base/choices.js';
import { SelectField, SwitchField, UsdField } from '../../ui/fields.js';

/** The spending limit of a key as it is typed. */
export interface LimitDraft {
  /** Decimal USD; empty = no limit. */
  readonly limit: string;
  /** An option of `RESETS`. */
  readonly limitReset: string;
  readonly includeByokInLimit: boolean;
}

interface LimitFieldsProps {
  readonly draft: LimitDraft;
  readonly onChange: (draft: LimitDraft) => void;
}

/** Limit, reset and whether BYOK counts (spec 4.2). */
export function LimitFields({ draft, onChange }: LimitFieldsProps) {
  return (
    <>
      <div className="columns">
        <UsdField
          label="Spending limit (USD)"
          name="limit"
          hint="Empty: no limit."
          value={draft.limit}
          onChange={(limit) => onChange({ ...draft, limit })}
        />
        <SelectField
          label="Resets"
          name="limit_reset"
          hint="At midnight UTC; weeks start on Monday."
          value={draft.limitReset}
          options={RESETS.options}
          onChange={(limitReset) => onChange({ ...draft, limitReset })}
        />
      </div>
      <SwitchField
        label="BYOK usage counts toward the limit"
        name="include_byok_in_limit"
        checked={draft.includeByokInLimit}
        onChange={(includeByokInLimit) => onChange({ ...draft, includeByokInLimit })}
      />
    </>
  );
}
