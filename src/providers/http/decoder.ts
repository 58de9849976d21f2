/** Decodes bodies that a proxy has compressed, although no encoding was requested. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { malformed } from '../common/failures.js';
import { HttpBody } from './http-body.js';

type Control = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

/** Takes a response's bytes as they arrive over the connection. */
export type Incoming = Pick<HttpBody, 'push' | 'end' | 'fail'>;

/** A response's body, and what its bytes are pushed to. They are the same if nothing is encoded. */
export interface Received {
  readonly body: HttpBody;
  readonly incoming: Incoming;
}

/** A body in an unknown encoding is passed on as it is, and will not be read as an answer. */
export function receive(headers: IncomingHttpHeaders, control: Control): Received {
  const create = DECODERS.get(String(headers['content-encoding'] ?? '').toLowerCase());
  if (create !== undefined) return decoding(create(), control);
  const body = new HttpBody(control);
  return { body, incoming: body };
}

/** Decodes what has arrived at once, so that a stream's events don't wait for a whole block. */
const AT_ONCE = { flush: constants.Z_SYNC_FLUSH };

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(AT_ONCE)],
  ['x-gzip', () => createGunzip(AT_ONCE)],
  ['deflate', () => createInflate(AT_ONCE)],
  ['br', () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
]);

/**
 * Pausing the body also pauses the decoder, so that a few bytes that decode to very many don't fill memory. While the
 * decoder is busy, the connection is paused.
 */
function decoding(decoder: Transform, control: Control): Received {
  let isBodyPaused = false;
  let isFull = false;
  const pauseOrResume = () => {
    if (isBodyPaused || isFull) control.pause();
    else control.resume();
  };
  const body = new HttpBody({
    abort(reason) {
      decoder.destroy();
      control.abort(reason);
    },
    pause() {
      isBodyPaused = true;
      decoder.pause();
      pauseOrResume();
    },
    resume() {
      isBodyPaused = false;
      pauseOrResume();
      decoder.resume();
    },
  });
  decoder.on('data', (chunk: Buffer) => body.push(chunk));
  decoder.on('end', () => body.end());
  decoder.on('drain', () => {
    isFull = false;
    pauseOrResume();
  });
  decoder.on('error', (error) => body.fail(malformed(error)));
  const incoming: Incoming = {
    push(chunk) {
      if (decoder.write(chunk) || isFull) return;
      isFull = true;
      pauseOrResume();
    },
    end: () => void decoder.end(),
    fail(error) {
      decoder.destroy();
      body.fail(error);
    },
  };
  return { body, incoming };
}
