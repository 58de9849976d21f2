import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { Presence } from '../../gen/byway/options/v1/options_pb.js';
import { fieldMembersOf, type Members } from './members.js';
import { addNeutralMembers } from './neutral.js';
import { type Member, type Shape, shapeOf, wrongAnnotation } from './shape.js';
import { answeredEnum } from './spelling.js';

/** Other names that members of answers are sent under, beside their own; by the member's name. */
export type Aliases = ReadonlyMap<string, readonly string[]>;

/** Spells one kind of message as a JSON object. */
export type MessageWriter = (message: Message) => JsonObject;

type WriteValue = (value: unknown) => JsonValue;
type WriteMember = (source: Members, target: JsonObject) => void;

/**
 * The message in REST JSON: proto field names, every member that an answer always has, null for what is unset
 * and not left out. Throws an Error for a message that is not spelled as an object.
 */
export function writeMessage(desc: DescMessage, message: Message): JsonObject {
  return plainWriterOf(desc)(message);
}

/**
 * Writers that know the operator's aliases. Each descriptor is compiled once, on first use; a wrong
 * annotation throws then.
 */
export function messageWriters(aliases: Aliases): (desc: DescMessage) => MessageWriter {
  const compiler = new Compiler(aliases);
  return (desc) => compiler.objectWriter(desc);
}

class Compiler {
  readonly #aliases: Aliases;
  readonly #values = new WeakMap<DescMessage, WriteValue>();
  readonly #objects = new WeakMap<DescMessage, MessageWriter>();

  constructor(aliases: Aliases) {
    this.#aliases = aliases;
  }

  objectWriter(desc: DescMessage): MessageWriter {
    const known = this.#objects.get(desc);
    if (known !== undefined) return known;
    const shape = shapeOf(desc);
    if (shape.kind !== 'object') throw wrongAnnotation(desc, 'is not spelled as an object');
    const memberWriters: WriteMember[] = [];
    const openKey = shape.open?.localName;
    const writer: MessageWriter = (message) => {
      const source = fieldMembersOf(message);
      // Spreading copies a member named __proto__ as data; an assignment would not.
      const target: JsonObject =
        openKey === undefined ? {} : { ...(source[openKey] as JsonObject | undefined) };
      for (const write of memberWriters) write(source, target);
      return target;
    };
    this.#objects.set(desc, writer);
    for (const member of shape.members)
      if (!member.rule.inputOnly) memberWriters.push(...this.#memberWriters(member));
    const { neutral } = shape;
    if (Object.keys(neutral).length > 0) {
      memberWriters.push((_, target) => addNeutralMembers(target, neutral));
    }
    return writer;
  }

  #memberWriters(member: Member): WriteMember[] {
    const { name } = member;
    const copies = (this.#aliases.get(name) ?? []).map((alias): WriteMember => {
      return (_, target) => {
        const value = target[name];
        if (value !== undefined) target[alias] = value;
      };
    });
    return [this.#memberWriter(member), ...copies];
  }

  #memberWriter({ name, key, field, rule }: Member): WriteMember {
    const omitted = rule.presence === Presence.OMITTED;
    const isEmptyOmitted = rule.presence === Presence.EMPTY_OMITTED;
    if (field.fieldKind === 'list') {
      const write = this.#listWriter(field);
      return (source, target) => {
        const items = source[key] as readonly unknown[];
        if (items.length > 0 || !omitted) target[name] = write(items);
      };
    }
    const write = this.#fieldWriter(field);
    return (source, target) => {
      const value = source[key];
      if (value === '' && isEmptyOmitted) return;
      if (value !== undefined) target[name] = write(value);
      else if (!omitted) target[name] = null;
    };
  }

  #fieldWriter(field: DescField): WriteValue {
    switch (field.fieldKind) {
      case 'scalar':
        return scalarWriter(field, field.scalar);
      case 'enum':
        return (value) => answeredEnum(field.enum, value as number);
      case 'message':
        return this.#messageWriter(field.message);
      case 'list':
        return this.#listWriter(field);
      case 'map':
        throw wrongAnnotation(field, 'a map has no spelling in REST JSON');
    }
  }

  #listWriter(field: DescField & { readonly fieldKind: 'list' }): WriteValue {
    const write = this.#itemWriter(field);
    return (items) => (items as readonly unknown[]).map(write);
  }

  #itemWriter(field: DescField & { readonly fieldKind: 'list' }): WriteValue {
    if (field.listKind === 'scalar') return scalarWriter(field, field.scalar);
    if (field.listKind === 'enum') return (value) => answeredEnum(field.enum, value as number);
    return this.#messageWriter(field.message);
  }

  #messageWriter(desc: DescMessage): WriteValue {
    const known = this.#values.get(desc);
    if (known !== undefined) return known;
    const writer = this.#shapeWriter(desc, shapeOf(desc));
    this.#values.set(desc, writer);
    return writer;
  }

  #shapeWriter(desc: DescMessage, shape: Shape): WriteValue {
    switch (shape.kind) {
      case 'struct':
        return asIs;
      case 'list': {
        const write = this.#listWriter(shape.items);
        const { localName } = shape.items;
        return (message) => write((message as Members)[localName]);
      }
      case 'union': {
        const { localName, fields } = shape.oneof;
        const writers = new Map(fields.map((field) => [field.localName, this.#fieldWriter(field)]));
        return (message) => {
          const set = (message as Members)[localName] as { readonly case?: string; readonly value?: unknown };
          return set.case === undefined ? null : (writers.get(set.case)?.(set.value) ?? null);
        };
      }
      case 'object': {
        const write = this.objectWriter(desc);
        return (message) => write(message as Message);
      }
    }
  }
}

function scalarWriter(field: DescField, scalar: ScalarType): WriteValue {
  switch (scalar) {
    case ScalarType.BYTES:
      throw wrongAnnotation(field, 'bytes have no spelling in REST JSON');
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return Number;
    default:
      return asIs;
  }
}

function asIs(value: unknown): JsonValue {
  return value as JsonValue;
}

/** At the end, since it needs the class. */
const plainWriterOf = messageWriters(new Map());
