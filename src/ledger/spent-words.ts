/** The words of every refusal for money. See `docs/money.md#refusals`. */
import { isoTimestamp } from '../base/clock.js';
import { formatNano, type NanoUsd } from '../base/money.js';

/** What is used up, and the way out. */
export interface UsedUp {
  /** null where the caller may not know. */
  readonly amounts: {
    readonly spentNanoUsd: NanoUsd;
    /** What requests in flight hold. */
    readonly reservedNanoUsd: NanoUsd;
    readonly ofNanoUsd: NanoUsd;
  } | null;
  /** Unix milliseconds; null = never. */
  readonly resetsAt: number | null;
  /** Who can raise it, and how. */
  readonly remedy: string;
  /** Whether requests over BYOK keys are served all the same. */
  readonly byok: string;
}

/** `25.00 of 25.00 USD spent, resets 2026-12-01T00:00Z, REMEDY; BYOK`. */
export function spentWords({ amounts, resetsAt, remedy, byok }: UsedUp): string {
  const resets = resetsAt === null ? 'does not reset' : `resets ${minute(resetsAt)}`;
  return `${[...(amounts === null ? [] : amountWords(amounts)), resets, remedy].join(', ')}; ${byok}`;
}

function amountWords({ spentNanoUsd, reservedNanoUsd, ofNanoUsd }: NonNullable<UsedUp['amounts']>): string[] {
  const spent = `${usdText(spentNanoUsd)} of ${usdText(ofNanoUsd)} USD spent`;
  return reservedNanoUsd > 0n
    ? [spent, `${usdText(reservedNanoUsd)} USD reserved for requests in flight`]
    : [spent];
}

const CENT_DIGITS = 2;

/** Exact, with two decimals at least. */
export function usdText(amount: NanoUsd): string {
  const [whole = '0', fraction = ''] = formatNano(amount).split('.');
  return `${whole}.${fraction.padEnd(CENT_DIGITS, '0')}`;
}

const MINUTE_LENGTH = '2026-12-01T00:00'.length;

/** Windows end at midnight. */
function minute(at: number): string {
  return `${isoTimestamp(at).slice(0, MINUTE_LENGTH)}Z`;
}

/** Limits and budgets hold for BYOK usage too, whether or not it counts. */
export const BYOK_HELD = 'requests over your own provider keys (BYOK) are held to it too';
export const BYOK_SERVED =
  'requests over your own provider keys (BYOK) are still served while the free allowance of the month lasts';
