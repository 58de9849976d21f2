import { isUtf8 } from 'node:buffer';
import {
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonReadOptions,
  type JsonValue,
  type Message,
  type Registry,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf';
import { readJson } from '../../../base/json/bounded/read-json.js';
import { StructureCount } from '../../../base/json/bounded/structure.js';
import { isLazyList, mapLazily } from '../../../base/json/lazy-list.js';
import { runInSlices, runToEnd } from '../../../base/time-slices.js';
import { elementLimits, refusesRepeated, structureLimits } from '../../../http/body.js';
import { refuseRepeatedMembers } from '../../../http/repeated-members.js';
import { readLargeBinary } from '../../../protobuf/bounded/large-binary.js';
import { readBinary } from '../../../protobuf/bounded/read-binary.js';
import { replaceEnumWords } from '../../../protobuf/enum-words.js';
import { restPathOfJson } from '../../../protobuf/field-path.js';
import { fieldMembersOf, isJsonObject } from '../../../protobuf/members.js';
import { ruleOf } from '../../../protobuf/method-rule.js';
import { decodeError } from '../wire/decode-errors.js';
import type { MessageFormat } from '../wire/protocol.js';

/** Reading as much takes well under a millisecond, whatever it holds, so nothing else has to run meanwhile. */
const SMALL_BYTES = 4096;

/**
 * Reads a method's request; for a large one it yields to other work. JSON is UTF-8. Throws or rejects with a 400
 * Problem for bytes that are not such a message, or have more structure than the method's traffic class allows. Lazy
 * lists of the message read from the bytes on each access.
 */
export function readRequest(
  method: DescMethod,
  bytes: Uint8Array,
  format: MessageFormat,
  registry?: Registry,
): Message | Promise<Message> {
  const fail = (thrown: unknown): never => {
    throw decodeError(thrown, format);
  };
  try {
    const reading =
      format === 'protobuf' ? fromProtobuf(method, bytes) : fromProtoJson(method, bytes, registry);
    const read = bytes.length > SMALL_BYTES ? runInSlices(reading) : runToEnd(reading);
    return read instanceof Promise ? read.catch(fail) : read;
  } catch (thrown) {
    return fail(thrown);
  }
}

export function writeAnswer(
  { output }: DescMethod,
  message: Message,
  format: MessageFormat,
  registry?: Registry,
): Uint8Array {
  if (format === 'protobuf') return toBinary(output, message);
  return Buffer.from(toJsonString(output, message, registry && { registry }));
}

function* fromProtobuf(method: DescMethod, bytes: Uint8Array): Generator<void, Message> {
  const plane = ruleOf(method).plane;
  const count = new StructureCount(structureLimits(plane));
  const items = elementLimits(plane);
  if (items === undefined) return yield* readBinary(method.input, bytes, count);
  return yield* readLargeBinary(method.input, bytes, count, items);
}

function* fromProtoJson(
  method: DescMethod,
  bytes: Uint8Array,
  registry: Registry | undefined,
): Generator<void, Message> {
  const plane = ruleOf(method).plane;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isUtf8(text)) throw new SyntaxError('not UTF-8');
  const json = yield* readJson(text, {
    limits: structureLimits(plane),
    elementLimits: elementLimits(plane),
  });
  yield;
  if (refusesRepeated(plane)) refuseRepeatedMembers(text, (path) => restPathOfJson(path, method));
  replaceEnumWords(method, json);
  return yield* messageOf(method.input, json, registry ? { ...READING, registry } : READING);
}

/** Puts lazy lists into the message as they are; the library reads everything else. */
function* messageOf(
  desc: DescMessage,
  json: JsonValue,
  reading: Partial<JsonReadOptions>,
): Generator<void, Message> {
  if (!isJsonObject(json)) return fromJson(desc, json, reading);
  const lazy = new Map<string, unknown[]>();
  const others = Object.entries(json).filter(([name, value]) => {
    const field = desc.fields.find((one) => one.name === name || one.jsonName === name);
    if (field?.fieldKind !== 'list' || field.listKind !== 'message' || !isLazy(value)) return true;
    if (lazy.has(field.localName)) throw new SyntaxError('a member twice');
    lazy.set(
      field.localName,
      mapLazily(value, (item) => fromJson(field.message, item, reading)),
    );
    return false;
  });
  const message =
    lazy.size === 0 ? fromJson(desc, json, reading) : fromJson(desc, Object.fromEntries(others), reading);
  for (const [key, list] of lazy) {
    // Invalid items throw now.
    for (const item of list) if (item !== undefined) yield;
    fieldMembersOf(message)[key] = list;
  }
  return message;
}

function isLazy(value: JsonValue): value is JsonValue[] {
  return Array.isArray(value) && isLazyList(value);
}

/** As proto JSON does it. */
const READING = { ignoreUnknownFields: true };
