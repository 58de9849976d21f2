import type { ByokAnswer } from '../../base/byok-answer.js';
import { RESETS } from '../../base/choices.js';
import type { Bind } from '../../base/use-form.js';
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
  readonly bind: Bind<LimitDraft>;
  readonly byok: ByokAnswer;
}

/** Limit, reset and whether BYOK counts. */
export function LimitFields({ bind, byok }: LimitFieldsProps) {
  return (
    <>
      <div className="columns">
        <UsdField label="Spending limit (USD)" {...bind('limit')} hint="Empty: no limit." />
        <SelectField
          label="Resets"
          {...bind('limitReset')}
          hint="At midnight UTC; weeks start on Monday."
          options={RESETS.options}
        />
      </div>
      <ByokSpendField
        label="BYOK usage counts toward the limit"
        name="include_byok_in_limit"
        answer={byok}
        onChange={bind('includeByokInLimit').onChange}
      />
    </>
  );
}
