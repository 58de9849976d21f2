/**
 * Returns a function that requests a poll: `poll` runs at once, or once more after the run in progress. `onDoubt` is
 * called when `poll` succeeds after a failure, and on a request when no `poll` has succeeded for `staleAfterMs`.
 */
export function createPoller(
  poll: () => Promise<void>,
  onDoubt: () => void,
  staleAfterMs: number,
): () => void {
  let isPolling = false;
  let isRequestedAgain = false;
  let hasFailed = false;
  let freshAt = performance.now();

  const pollOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      await poll();
      freshAt = startedAt;
      if (hasFailed) onDoubt();
      hasFailed = false;
    } catch {
      hasFailed = true;
    }
  };
  const pollUntilDone = async (): Promise<void> => {
    isPolling = true;
    do {
      isRequestedAgain = false;
      await pollOnce();
    } while (isRequestedAgain);
    isPolling = false;
  };

  return () => {
    const now = performance.now();
    if (now - freshAt > staleAfterMs) {
      freshAt = now;
      onDoubt();
    }
    if (isPolling) isRequestedAgain = true;
    else void pollUntilDone();
  };
}
