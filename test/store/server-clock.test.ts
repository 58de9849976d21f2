import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { openDuringTest, temporaryDatabaseUrl, usualKind } from '../support/database.js';

/** Sets the clock of this machine, as everything but the server sees it. */
function setMachineClock(byMs: number): void {
  const now = Date.now.bind(Date);
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
  onTestFinished(() => spy.mockRestore());
}

describe('the clock of a process', () => {
  it.runIf(usualKind() === 'postgres').each([86_400_000, -86_400_000, 31 * 86_400_000, 90_000])(
    'that is %i ms from the clock of its database is corrected',
    async (byMs) => {
      const right = Date.now();
      setMachineClock(byMs);
      const database = await openDuringTest(await temporaryDatabaseUrl('postgres'));
      expect(Math.abs(database.corrected(systemClock).now() - right)).toBeLessThan(10_000);
    },
  );

  it.runIf(usualKind() === 'postgres')('that is right to a minute is left as it is', async () => {
    setMachineClock(20_000);
    const database = await openDuringTest(await temporaryDatabaseUrl('postgres'));
    const clock = { now: () => 7 };
    expect(database.corrected(clock).now()).toBe(7);
  });

  it('is the only one that a file has', async () => {
    const database = await openDuringTest(await temporaryDatabaseUrl('sqlite'));
    const clock = { now: () => 7 };
    expect(database.corrected(clock)).toBe(clock);
  });
});
