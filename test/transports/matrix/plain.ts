/**
 * Between messages and the plain objects of protobufjs: proto names, numbers for enum values, oneofs as their members.
 * protobufjs knows a map that comes by descriptors as the list of its entries, which is the same on the wire.
 */
import { type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import {
  isReflectList,
  isReflectMap,
  isReflectMessage,
  type ReflectMessage,
  reflect,
} from '@bufbuild/protobuf/reflect';

type Plain = Readonly<Record<string, unknown>>;

interface MapEntry {
  readonly key: string;
  readonly value: unknown;
}

/** The message as protobufjs takes it. */
export function plainOf(desc: DescMessage, message: Message): Plain {
  return plainMessage(reflect(desc, message));
}

function plainMessage(message: ReflectMessage): Plain {
  const set = message.fields.filter((field) => message.isSet(field));
  return Object.fromEntries(set.map((field) => [field.name, plainValue(message.get(field))]));
}

function plainValue(value: unknown): unknown {
  if (isReflectMessage(value)) return plainMessage(value);
  if (isReflectList(value)) return [...value].map(plainValue);
  if (isReflectMap(value)) return [...value].map(([key, one]) => ({ key, value: plainValue(one) }));
  return value;
}

/** The message that protobufjs gave as an object. */
export function messageFrom(desc: DescMessage, plain: object): Message {
  return filled(desc, plain).message;
}

function filled(desc: DescMessage, plain: object): ReflectMessage {
  const target = reflect(desc);
  const members: Plain = { ...plain };
  for (const field of target.fields) {
    const value = members[field.name];
    if (value === undefined || value === null) continue;
    const item = (one: unknown) => itemOf(field, one);
    if (field.fieldKind === 'list') {
      const list = target.get(field);
      for (const one of value as readonly unknown[]) list.add(item(one));
    } else if (field.fieldKind === 'map') {
      const map = target.get(field);
      for (const { key, value: one } of value as readonly MapEntry[]) map.set(key, item(one));
    } else {
      // protobufjs gives what the field holds; a value of a wrong type is refused by the setter.
      target.set(field, item(value) as Parameters<typeof target.set<typeof field>>[1]);
    }
  }
  return target;
}

/** Numbers of 64 bits come as texts. */
function itemOf({ message, scalar }: DescField, one: unknown): unknown {
  if (message !== undefined) return filled(message, one as object);
  return scalar === ScalarType.INT64 ? BigInt(String(one)) : one;
}
