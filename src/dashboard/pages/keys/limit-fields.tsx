import type { ByokAnswer } from '../../base/byok-answer.js';
import { RESETS } from '../../base/choices.js';
import { ByokSpendField } from '../../ui/byok-spend.js';
import { SelectField, UsdField } from '../../ui/fields.js';

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
  readonly byok: ByokAnswer;
}

/** Limit, reset and whether BYOK counts. */
export function LimitFields({ draft, change, byok }: LimitFieldsProps) {
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
      <ByokSpendField
        label="BYOK usage counts toward the limit"
        name="include_byok_in_limit"
        answer={byok}
        onChange={(includeByokInLimit) => change({ includeByokInLimit })}
      />
    </>
  );
}
