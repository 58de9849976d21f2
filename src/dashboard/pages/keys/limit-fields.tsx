import { RESETS } from '../../base/choices.js';
import { SelectField, SwitchField, UsdField } from '../../ui/fields.js';

/** The spending limit of a key as typed. */
export interface LimitDraft {
  /** Decimal USD; empty = no limit. */
  readonly limit: string;
  /** An option of `RESETS`. */
  readonly limitReset: string;
  readonly includeByokInLimit: boolean;
}

interface LimitFieldsProps {
  readonly draft: LimitDraft;
  readonly change: (part: Partial<LimitDraft>) => void;
}

/** Limit, reset and whether BYOK counts. */
export function LimitFields({ draft, change }: LimitFieldsProps) {
  return (
    <>
      <div className="columns">
        <UsdField
          label="Spending limit (USD)"
          name="limit"
          hint="Empty: no limit."
          value={draft.limit}
          onChange={(limit) => change({ limit })}
        />
        <SelectField
          label="Resets"
          name="limit_reset"
          hint="At midnight UTC; weeks start on Monday."
          value={draft.limitReset}
          options={RESETS.options}
          onChange={(limitReset) => change({ limitReset })}
        />
      </div>
      <SwitchField
        label="BYOK usage counts toward the limit"
        name="include_byok_in_limit"
        checked={draft.includeByokInLimit}
        onChange={(includeByokInLimit) => change({ includeByokInLimit })}
      />
    </>
  );
}
