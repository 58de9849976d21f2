/** The envelopes of gRPC, gRPC-Web and Connect's streams: a byte of flags, the length in four bytes, the content. */
import { compressedFlag } from '@connectrpc/connect/protocol';
import { trailerFlag, trailerSerialize } from '@connectrpc/connect/protocol-grpc-web';
import { brokenEnvelopedMessage, notOneMessage } from '../../../rpc/protocol-errors.js';
import type { PackedMessage } from './protocol.js';

/** The flags and the length before a message. */
export const PREFIX_BYTES = 5;

export function enveloped(bytes: Uint8Array, isCompressed: boolean): Buffer {
  return flagged(isCompressed ? compressedFlag : 0, bytes);
}

/** The trailers in an envelope, as gRPC-Web sends them after its messages. */
export function envelopedTrailers(trailers: Headers): Buffer {
  return flagged(trailerFlag, trailerSerialize(trailers));
}

/** An envelope with the flags. */
export function flagged(flags: number, bytes: Uint8Array): Buffer {
  const enveloped = Buffer.allocUnsafe(PREFIX_BYTES + bytes.byteLength);
  enveloped.writeUInt8(flags, 0);
  enveloped.writeUInt32BE(bytes.byteLength, 1);
  enveloped.set(bytes, PREFIX_BYTES);
  return enveloped;
}

/** The message of a body that is exactly one envelope. Throws a protocol error for any other. */
export function onlyMessageIn(body: Buffer): PackedMessage {
  if (body.length === 0) throw notOneMessage();
  const rest = body.length < PREFIX_BYTES ? -1 : body.length - PREFIX_BYTES - body.readUInt32BE(1);
  if (rest > 0) throw notOneMessage();
  const flags = body.readUInt8(0);
  if (rest < 0 || (flags !== 0 && flags !== compressedFlag)) throw brokenEnvelopedMessage();
  return { bytes: body.subarray(PREFIX_BYTES), isEncoded: flags === compressedFlag };
}
