/**
 * Lingering close, for clients that are still sending when their answer is complete. Closing a connection with unread
 * input resets it, and the reset discards the answer (RFC 9112 section 9.6): many clients read only after they have
 * sent everything. So the rest of the request is read and dropped for a while.
 */
import { Socket } from 'node:net';

/** How long the rest of a request is read and dropped: even a distant client has read its answer by then. */
const LINGER_MS = 5_000;

/** How much of it is read: twice the max body size. */
const LINGER_BYTES = 64 * 1024 * 1024;

/** Max requests that linger at once; further ones are cut off right away, so that no client can use up everything. */
const MAX_LINGERING = 256;

const CHECK_INTERVAL_MS = 50;

/** The rest of a request that is being dropped. */
export interface Rest {
  bytesRead(): number;
  /** Whether nothing more can arrive. */
  isOver(): boolean;
  done(): void;
  /** The limits are exceeded. */
  cutOff(): void;
}

/** Whether a request has arrived completely. */
type Received = () => boolean;

/** The lingering requests of one server. */
export class Lingering {
  #count = 0;
  /** For each connection that stays open, the function that looks whether its last request has arrived. */
  readonly #passing = new WeakMap<Socket, () => void>();

  /** Watches a request that lingers: ends with `done` or, beyond the limits, with `cutOff`. Returns how to look at once. */
  watch(rest: Rest): () => void {
    if (this.#count >= MAX_LINGERING) {
      rest.cutOff();
      return () => {};
    }
    this.#count += 1;
    const latestMs = performance.now() + LINGER_MS;
    const maxBytes = rest.bytesRead() + LINGER_BYTES;
    let hasEnded = false;
    const look = () => {
      const isOver = rest.isOver();
      if (hasEnded || (!isOver && performance.now() < latestMs && rest.bytesRead() < maxBytes)) return;
      hasEnded = true;
      clearInterval(timer);
      this.#count -= 1;
      if (isOver) rest.done();
      else rest.cutOff();
    };
    const timer = setInterval(look, CHECK_INTERVAL_MS).unref();
    return look;
  }

  /**
   * Ends our side of the connection after what has been written, and closes it as soon as the client has sent its
   * request or ended its side.
   */
  close(socket: Socket, isReceived: Received = never): void {
    if (isReceived()) destroySoon(socket);
    else {
      socket.end();
      this.#drop(socket, isReceived, () => destroySoon(socket));
    }
  }

  /** Drops the rest of a request on a connection that stays open after it. */
  pass(socket: Socket, isReceived: Received): void {
    // The request before this one has arrived, or this one could not have come.
    this.#passing.get(socket)?.();
    this.#passing.set(
      socket,
      this.#drop(socket, isReceived, () => {}),
    );
  }

  #drop(socket: Socket, isReceived: Received, done: () => void): () => void {
    const resume = () => void socket.resume();
    // A destroyed request pauses the connection at every chunk.
    socket.on('pause', resume).resume();
    return this.watch({
      bytesRead: () => socket.bytesRead,
      isOver: () => isReceived() || socket.destroyed,
      done() {
        socket.off('pause', resume);
        done();
      },
      // The answer still gets out where nothing is unread, as with a client that has sent nothing yet.
      cutOff: () => destroySoon(socket),
    });
  }
}

function never(): boolean {
  return false;
}

/** The original method, which HTTP/1.1 connections may override. */
function destroySoon(socket: Socket): void {
  Socket.prototype.destroySoon.call(socket);
}
