/** Long work in slices: nobody else is served while a slice lasts. */
import { setImmediate as turn } from 'node:timers/promises';

/** As long as work goes on before others have their turn: short beside what one step of it may take. */
const SLICE_MS = 10;

/** Runs the work, which yields wherever it may be interrupted; others have their turn whenever a slice is over. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  let beganAt = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) {
      await restAfter(beganAt);
      return step.value;
    }
    if (performance.now() - beganAt < SLICE_MS) continue;
    await turn();
    beganAt = performance.now();
  }
}

/** Runs such work at once. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Lets others have their turn where the work that began then has taken long; when the next work begins. */
export async function restAfter(beganAt: number): Promise<number> {
  if (performance.now() - beganAt < SLICE_MS) return beganAt;
  await turn();
  return performance.now();
}
