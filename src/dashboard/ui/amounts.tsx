import { usdText } from '../base/decimal.js';

interface AmountsProps {
  /** Nano-USD charged to credits. */
  readonly charged: bigint;
  /** Nano-USD at list price over BYOK keys. */
  readonly byok: bigint;
}

/** What was charged, and below it what was spent over BYOK keys, if anything. */
export function Amounts({ charged, byok }: AmountsProps) {
  return (
    <div className="amounts">
      <span>{usdText(charged)}</span>
      {byok !== 0n && <span className="muted small">BYOK {usdText(byok)}</span>}
    </div>
  );
}
