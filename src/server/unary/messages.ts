import { isUtf8 } from 'node:buffer';
import {
  type DescMessage,
  type DescMethod,
  fromBinary,
  fromJsonString,
  getOption,
  type Message,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf';
import { method as methodOption, Plane } from '../../../gen/byway/options/v1/options_pb.js';
import {
  brokenBody,
  LARGE_BYTES,
  MAX_CHAT_STRUCTURE,
  readsLazily,
  refusesRepeated,
} from '../../rest/body.js';
import { exceedsValues } from '../../rest/count-structure.js';
import { refuseRepeatedMembers } from '../../rest/repeated-members.js';
import { exceedsMessages } from '../../wire/count-messages.js';
import { withProtoWords } from '../../wire/enum-words.js';
import { restPathOfJson } from '../../wire/field-path.js';
import { fromLargeBinary } from '../../wire/large-binary.js';
import { fromLargeJson } from '../../wire/large-json.js';
import { unreadable } from '../unreadable.js';

/** How messages are serialised. */
export type MessageFormat = 'protobuf' | 'json';

/**
 * Reads a method's request; JSON is UTF-8. Throws a 400 Problem for bytes that are no such message, or hold more than
 * a chat may. The lists of some large ones need the bytes for as long as they are read.
 */
export function readRequest(method: DescMethod, sent: Uint8Array, format: MessageFormat): Message {
  const { input } = method;
  const { plane } = getOption(method, methodOption);
  checkValues(method, sent, format);
  if (format === 'json' && refusesRepeated(plane))
    refuseRepeatedMembers(bufferOf(sent), (path) => restPathOfJson(path, method));
  const bytes = format === 'json' ? withProtoWords(method, sent) : sent;
  const isLazy = bytes.length > LARGE_BYTES && readsLazily(plane);
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

/** Throws a 400 Problem for a chat's bytes that hold more values than a chat may. */
export function checkValues(method: DescMethod, bytes: Uint8Array, format: MessageFormat): void {
  const { plane } = getOption(method, methodOption);
  if (plane !== Plane.INFERENCE || !exceedsBound(method.input, bytes, format)) return;
  throw brokenBody('count', `The message has more than ${MAX_CHAT_STRUCTURE} objects, lists and values`);
}

/**
 * Of free-form JSON the library makes several objects for each value, be it but a number: a chat of the size limit would
 * take gigabytes of memory, and half a minute.
 */
function exceedsBound(input: DescMessage, bytes: Uint8Array, format: MessageFormat): boolean {
  if (format === 'protobuf') return exceedsMessages(input, bytes, MAX_CHAT_STRUCTURE);
  return exceedsValues(bufferOf(bytes), MAX_CHAT_STRUCTURE);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** As usual in proto JSON (interface section 9). */
const READING = { ignoreUnknownFields: true };
