/**
 * What becomes of a client that is still sending when its answer is complete. A connection that is closed with input
 * unread is reset, and the reset takes the answer with it (RFC 9112 section 9.6): many clients read only once they have
 * sent everything. So the rest is read and dropped for a while.
 */
import { Socket } from 'node:net';

/** How long the rest of a request is read and dropped: a client across the world has read its answer by then. */
const LINGER_MS = 5_000;

/** And how much of it: twice the largest body that is taken. */
const LINGER_BYTES = 64 * 1024 * 1024;

/** Requests whose rest is dropped at once; further ones are cut off right away, so that nobody can hold everything up. */
const MAX_LINGERING = 256;

/** How often it is looked at. */
const LOOK_MS = 50;

/** The rest of a request that is being dropped. */
export interface Rest {
  /** All that has come of it. */
  bytesRead(): number;
  /** Whether nothing more can come. */
  isOver(): boolean;
  /** It is over. */
  done(): void;
  /** It is too much, or too slow. */
  cutOff(): void;
}

/** Whether a request has come whole. */
type Received = () => boolean;

/** The requests of one server whose rest is dropped. */
export class Lingering {
  #count = 0;

  /** Watches what is being dropped: it ends in `done` or, beyond the bounds, in `cutOff`. */
  watch(rest: Rest): void {
    if (this.#count >= MAX_LINGERING) {
      rest.cutOff();
      return;
    }
    this.#count += 1;
    const latestMs = performance.now() + LINGER_MS;
    const maxBytes = rest.bytesRead() + LINGER_BYTES;
    const looking = setInterval(() => {
      const isOver = rest.isOver();
      if (!isOver && performance.now() < latestMs && rest.bytesRead() < maxBytes) return;
      clearInterval(looking);
      this.#count -= 1;
      if (isOver) rest.done();
      else rest.cutOff();
    }, LOOK_MS).unref();
  }

  /**
   * Ends our side of the connection behind what has been written to it, and closes it as soon as the client has sent
   * its request or ended its side.
   */
  close(socket: Socket, isReceived: Received = never): void {
    if (isReceived()) destroySoon(socket);
    else {
      socket.end();
      this.#drop(socket, isReceived, () => destroySoon(socket));
    }
  }

  /** Drops the rest of a request on a connection that goes on behind it. */
  pass(socket: Socket, isReceived: Received): void {
    this.#drop(socket, isReceived, () => {});
  }

  #drop(socket: Socket, isReceived: Received, done: () => void): void {
    const resume = () => void socket.resume();
    // A request that its reader has given up pauses the connection at every piece.
    socket.on('pause', resume).resume();
    this.watch({
      bytesRead: () => socket.bytesRead,
      isOver: () => isReceived() || socket.destroyed,
      done() {
        socket.off('pause', resume);
        done();
      },
      // What has been written goes out where nothing is unread, as with a client that has sent nothing yet.
      cutOff: () => destroySoon(socket),
    });
  }
}

function never(): boolean {
  return false;
}

/** The socket's own method, which those of HTTP/1.1 connections may hide. */
function destroySoon(socket: Socket): void {
  Socket.prototype.destroySoon.call(socket);
}
