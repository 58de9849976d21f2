import type { Socket } from 'node:net';

/** What a connection speaks. */
export type Protocol = 'http1' | 'http2';

/** What every HTTP/2 client sends first (RFC 9113 section 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/**
 * Looks at the first bytes of a fresh connection, puts them back and says which protocol they begin, as soon as
 * they tell. A socket that does not tell within `timeoutMs`, ends or fails before is destroyed and never decided:
 * nobody knows which protocol an answer would have to speak.
 */
export function onFirstBytes(socket: Socket, timeoutMs: number, decided: (protocol: Protocol) => void): void {
  let seen: Buffer = Buffer.alloc(0);

  const look = () => {
    // null means that nothing is there yet: the listener stays, and the next bytes call it again.
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
      seen = Buffer.concat([seen, chunk]);
    }
    const protocol = protocolOf(seen);
    if (protocol === undefined) return;
    stopLooking();
    socket.unshift(seen);
    decided(protocol);
  };
  const giveUp = () => {
    stopLooking();
    socket.destroy();
  };
  // A failing socket emits 'close' after 'error', but an 'error' nobody listens to would end the process.
  const ignore = () => {};
  const timer = setTimeout(giveUp, timeoutMs);
  const stopLooking = () => {
    clearTimeout(timer);
    socket.off('readable', look).off('end', giveUp).off('close', giveUp).off('error', ignore);
  };

  socket.on('readable', look).on('end', giveUp).on('close', giveUp).on('error', ignore);
}

/** Undefined while the bytes could still become either. */
function protocolOf(seen: Buffer): Protocol | undefined {
  const length = Math.min(seen.length, PREFACE.length);
  if (seen.compare(PREFACE, 0, length, 0, length) !== 0) return 'http1';
  return length === PREFACE.length ? 'http2' : undefined;
}
