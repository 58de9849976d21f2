import { type NanoUsd, parseUsd } from '../../base/money.js';
import { invalid } from '../../base/problem.js';

/** The exact amount of an argument in USD. Throws a 400 Problem for what is none or has more than 9 decimals. */
export function usdAmount(field: string, text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount === undefined) {
    throw invalid([{ field, rule: 'decimals', message: 'must be an amount in USD with at most 9 decimals' }]);
  }
  return amount;
}
