/** Encodes Amazon's event stream frames: https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html. */
import { crc32 } from 'node:zlib';
import type { FakeFrame } from './plan.js';

/** The bytes of a frame. */
export function encodeFrame({ event, exception, payload, headers = {} }: FakeFrame): Buffer {
  const type = exception === undefined ? 'event' : 'exception';
  const named: Record<string, string> = {
    ...(event !== undefined && { ':event-type': event }),
    ...(exception !== undefined && { ':exception-type': exception }),
    ':content-type': 'application/json',
    ':message-type': type,
    ...headers,
  };
  return encodeBytes(
    Buffer.concat(Object.entries(named).map(textHeader)),
    Buffer.from(JSON.stringify(payload ?? {})),
  );
}

/** A frame of encoded headers and payload. */
export function encodeBytes(headers: Buffer, payload: Buffer): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const frame = Buffer.concat([prelude, headers, payload]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(frame));
  return Buffer.concat([frame, checksum]);
}

/** A header of type string. */
export function textHeader([name, value]: readonly [string, string]): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    bytes,
  ]);
}
