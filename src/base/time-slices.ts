/**
 * Runs long synchronous work in time slices, between which the event loop handles other events. However many works
 * there are, each iteration of the loop runs one slice, and they take turns: a short one waits for one slice, not for
 * one of each.
 */

/** Short compared with what a single step of the work may take. */
const SLICE_MS = 10;

/**
 * Runs the work, which yields wherever it may be interrupted, and lets the event loop continue after each slice. Work
 * that ends within a slice has run when this returns.
 */
export function runInSlices<T>(work: Generator<void, T>): T | Promise<T> {
  const beganAt = performance.now();
  for (;;) {
    const step = work.next();
    const isOver = performance.now() - beganAt >= SLICE_MS;
    if (step.done === true) return isOver ? afterOthers(step.value) : step.value;
    if (isOver) return afterOthers(work).then(runInSlices);
  }
}

async function afterOthers<T>(value: T): Promise<T> {
  await nextTurn();
  return value;
}

/** Works that wait for their next slice, in the order of their turns. */
const waiting: (() => void)[] = [];

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(runOne);
  });
}

function runOne(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(runOne);
}

/** Runs the work for one slice, or until there is enough of what it makes; whether it has ended. */
export function runSlice(work: Generator<void, unknown>, isEnough: () => boolean): boolean {
  const beganAt = performance.now();
  do {
    if (work.next().done === true) return true;
  } while (!isEnough() && performance.now() - beganAt < SLICE_MS);
  return false;
}

/** Runs the work without interruption. */
export function runToEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Lets the event loop continue if a slice has passed since `beganAt`; resolves to the start of the current slice. */
export async function yieldAfterSlice(beganAt: number): Promise<number> {
  if (performance.now() - beganAt < SLICE_MS) return beganAt;
  await nextTurn();
  return performance.now();
}
