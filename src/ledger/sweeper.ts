import type { Clock } from '../base/clock.js';
import type { Ledger } from './ledger.js';

/** How often abandoned reservations are looked for. */
const SWEEP_INTERVAL_MS = 3_000;

/**
 * Ends the reservations of processes that are gone, now and every few seconds. Rejects where the first sweep fails; what
 * a later one can't end is ended by the next. The timer keeps no process alive.
 */
export async function startSweeping(ledger: Pick<Ledger, 'sweep'>, clock: Clock): Promise<() => void> {
  await ledger.sweep(clock.now());
  const sweep = () => void ledger.sweep(clock.now()).catch(() => undefined);
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
