/** When overrides of prices apply: `docs/money.md#prices`. */
import { type PriceKey, type Pricing, type PricingOverride, WEEKDAYS } from '../../catalog/types.js';

/** Decimal texts in USD, before the discount. */
export type Prices = Readonly<Partial<Record<PriceKey, string>>>;

/** The overrides that apply to a prompt of this length at an instant in Unix milliseconds, in order. Later ones win. */
export function applicableOverrides(
  { overrides }: Pricing,
  promptTokens: number,
  at: number,
): readonly { readonly override: PricingOverride; readonly index: number }[] {
  if (overrides.length === 0) return NONE;
  const date = new Date(at);
  return overrides
    .map((override, index) => ({ override, index }))
    .filter(({ override }) => applies(override, promptTokens, date));
}

const NONE: readonly never[] = [];

function applies(override: PricingOverride, promptTokens: number, at: Date): boolean {
  if (override.minPromptTokens !== null && promptTokens <= override.minPromptTokens) return false;
  const day = WEEKDAYS[(at.getUTCDay() + 6) % 7];
  if (override.utcDays !== null && !override.utcDays.some((listed) => listed === day)) return false;
  return inWindow(override, at.getUTCHours() * 100 + at.getUTCMinutes());
}

/** Whether the clock number (HHMM) lies in [start, end), which wraps past midnight when start > end. */
function inWindow({ utcStart, utcEnd }: PricingOverride, clock: number): boolean {
  const start = utcStart ?? 0;
  const end = utcEnd ?? 2400;
  return start <= end ? start <= clock && clock < end : clock >= start || clock < end;
}
