import { isUtf8 } from 'node:buffer';
import {
  type DescMethod,
  fromBinary,
  fromJsonString,
  getOption,
  type Message,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf';
import { method as methodOption } from '../../../gen/byway/options/v1/options_pb.js';
import { LARGE_BYTES, readsLazily } from '../../rest/body.js';
import { fromLargeBinary } from '../../wire/large-binary.js';
import { fromLargeJson } from '../../wire/large-json.js';
import { unreadable } from '../unreadable.js';

/** How messages are serialised. */
export type MessageFormat = 'protobuf' | 'json';

/**
 * Reads a method's request; JSON is UTF-8. Throws a 400 Problem for bytes that are no such message. The lists of some
 * large ones need the bytes for as long as they are read.
 */
export function readRequest(method: DescMethod, bytes: Uint8Array, format: MessageFormat): Message {
  const { input } = method;
  const isLazy = bytes.length > LARGE_BYTES && readsLazily(getOption(method, methodOption).plane);
  try {
    if (format === 'protobuf') return isLazy ? fromLargeBinary(input, bytes) : fromBinary(input, bytes);
    if (isLazy && isUtf8(bytes)) return fromLargeJson(input, bytes, READING);
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
