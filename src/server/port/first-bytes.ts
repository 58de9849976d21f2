import type { Socket } from 'node:net';

export type Protocol = 'http1' | 'http2';

/** What every HTTP/2 client sends first (RFC 9113 section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/**
 * Reads the first bytes of a new connection, puts them back and calls `decided` with the protocol that they begin. A
 * socket that does not send enough of them within `timeoutMs`, ends or fails before is destroyed without an answer,
 * since its protocol is not known.
 */
export function onFirstBytes(socket: Socket, timeoutMs: number, decided: (protocol: Protocol) => void): void {
  let seen: Buffer = Buffer.alloc(0);

  const read = () => {
    // null: nothing more has arrived; the next bytes call the listener again.
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
      seen = Buffer.concat([seen, chunk]);
    }
    const protocol = protocolOf(seen);
    if (protocol === undefined) return;
    stopReading();
    socket.unshift(seen);
    decided(protocol);
  };
  const giveUp = () => {
    stopReading();
    socket.destroy();
  };
  // A failing socket emits 'close' after 'error', but an 'error' without a listener would end the process.
  const ignore = () => {};
  let last: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // After a stall of the process timers come before bytes that arrived meanwhile.
    last = setImmediate(giveUp);
  }, timeoutMs);
  const stopReading = () => {
    clearTimeout(timer);
    clearImmediate(last);
    socket.off('readable', read).off('end', giveUp).off('close', giveUp).off('error', ignore);
  };

  socket.on('readable', read).on('end', giveUp).on('close', giveUp).on('error', ignore);
}

/** Undefined while the bytes could still become either. */
function protocolOf(seen: Buffer): Protocol | undefined {
  const length = Math.min(seen.length, PREFACE.length);
  if (seen.compare(PREFACE, 0, length, 0, length) !== 0) return 'http1';
  return length === PREFACE.length ? 'http2' : undefined;
}
