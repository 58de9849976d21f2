import {
  type DescMethod,
  fromBinary,
  fromJsonString,
  type Message,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf';
import { unreadable } from '../unreadable.js';

/** How messages are serialised. */
export type MessageFormat = 'protobuf' | 'json';

/** Reads a method's request; JSON is UTF-8. Throws a 400 Problem for bytes that are no such message. */
export function readRequest({ input }: DescMethod, bytes: Uint8Array, format: MessageFormat): Message {
  try {
    if (format === 'protobuf') return fromBinary(input, bytes);
    return fromJsonString(input, UTF8.decode(bytes), READING);
  } catch (thrown) {
    throw unreadable(thrown, format);
  }
}

/** Writes a method's answer. */
export function writeAnswer({ output }: DescMethod, message: Message, format: MessageFormat): Uint8Array {
  if (format === 'protobuf') return toBinary(output, message);
  return Buffer.from(toJsonString(output, message));
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** As usual in proto JSON (interface section 9). */
const READING = { ignoreUnknownFields: true };
