/**
 * Gives what makes `look` be run: at once, or when it is running already, once more afterwards. `onDoubt` is called
 * when `look` succeeds after it has failed, and whenever no look has succeeded for `staleAfterMs`, provided that one
 * is asked for again and again.
 */
export function createPoller(
  look: () => Promise<void>,
  onDoubt: () => void,
  staleAfterMs: number,
): () => void {
  let isLooking = false;
  let isRequestedAgain = false;
  let hasFailed = false;
  let freshAt = performance.now();

  const lookOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      await look();
      freshAt = startedAt;
      if (hasFailed) onDoubt();
      hasFailed = false;
    } catch {
      hasFailed = true;
    }
  };
  const lookUntilDone = async (): Promise<void> => {
    isLooking = true;
    do {
      isRequestedAgain = false;
      await lookOnce();
    } while (isRequestedAgain);
    isLooking = false;
  };

  return () => {
    const now = performance.now();
    if (now - freshAt > staleAfterMs) {
      freshAt = now;
      onDoubt();
    }
    if (isLooking) isRequestedAgain = true;
    else void lookUntilDone();
  };
}
