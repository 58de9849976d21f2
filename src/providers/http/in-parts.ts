/** Makes the calls that a single one is divided into. */
import { SignalSource } from '../../base/signal.js';
import type { UpstreamCall } from '../../inference/ports/adapter.js';

/** Parts that are at a host at the same time. */
const MAX_PARTS_AT_ONCE = 8;

/**
 * The answers to all parts, in their order. The first part that fails ends the others, and what it threw is thrown. Of what
 * is told of a call only the first of its parts tells.
 */
export async function answersInParts<Call extends ReportingCall, Answer>(
  parts: readonly Call[],
  make: (part: Call) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const [first] = parts;
  if (first === undefined) return [];
  if (parts.length === 1) return [await make(first)];
  const { signal } = first;
  const ended = new SignalSource();
  const onAbort = () => ended.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  const told = once(first);
  const answers: Answer[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < parts.length; at = next++) {
      ended.throwIfAborted();
      answers[at] = await make({ ...(parts[at] as Call), ...told, signal: ended });
    }
  };
  try {
    const workers = Array.from({ length: Math.min(MAX_PARTS_AT_ONCE, parts.length) }, worker);
    await Promise.all(workers).catch(async (thrown: unknown) => {
      ended.abort(thrown);
      await Promise.allSettled(workers);
      throw thrown;
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return answers;
}

type ReportingCall = Pick<UpstreamCall, 'signal' | 'onSent' | 'onFirstByte'>;

/** What is told of a call, once each. */
function once({ onSent, onFirstByte }: ReportingCall): Pick<ReportingCall, 'onSent' | 'onFirstByte'> {
  let [isSent, hasByte] = [false, false];
  return {
    onSent() {
      if (!isSent) onSent?.();
      isSent = true;
    },
    onFirstByte() {
      if (!hasByte) onFirstByte();
      hasByte = true;
    },
  };
}
