import type { DescEnum, DescMessage, DescOneof, JsonObject } from '@bufbuild/protobuf';
import { isJsonObject } from '../../protobuf/members.js';
import { mayBeLeftOut, type Shape, shapeOf } from '../../protobuf/shape.js';
import { answeredEnums } from '../../protobuf/spelling.js';
import type { Aliases } from '../../protobuf/write.js';
import type { Operation } from '../operation.js';
import { commentOf, described } from './comments.js';
import { type Direction, fieldSchema, memberSchema, type SchemaOf } from './field-schema.js';
import { isRequired } from './rules.js';
import { reference, type Schema, sorted } from './schema.js';

type ObjectShape = Shape & { readonly kind: 'object' };

/** How an object differs from its message. */
interface Traits {
  readonly description: string;
  /** Members that come from the path. */
  readonly without: ReadonlySet<string>;
  /** Nothing is required: members that are left out stay unchanged. */
  readonly partial: boolean;
}

/**
 * The schemas of all messages, in REST spelling. A message of answers goes by its own name. Where requests have it
 * too, they have a schema of their own, `...Input`, which may have other members and requires fewer.
 */
export class Schemas {
  readonly #components = new Map<string, Schema>();
  readonly #enums = new Set<DescEnum>();
  readonly #names = { input: new Map<DescMessage, string>(), output: new Map<DescMessage, string>() };

  readonly #aliases: Aliases;

  /** Throws an Error when two schemas would have the same name. */
  constructor(operations: readonly Operation[], aliases: Aliases) {
    this.#aliases = aliases;
    for (const { method, stream } of operations) {
      this.output(method.output);
      if (stream !== undefined) this.output(stream.method.output);
    }
  }

  /** The members of an object in answers, also under their aliases. */
  aliased(members: JsonObject): JsonObject {
    const named = Object.entries(members).flatMap(([name, schema]) =>
      [name, ...(this.#aliases.get(name) ?? [])].map((one) => [one, schema]),
    );
    return Object.fromEntries(named);
  }

  /** The schema of a message in answers. */
  output(desc: DescMessage): Schema {
    return this.#schemaOf('output')(desc);
  }

  /** The schema of an operation's body. */
  body({ id, body, mask }: Operation): Schema | undefined {
    if (body === undefined) return undefined;
    if (mask === undefined && body.without.size === 0) return this.#schemaOf('input')(body.message);
    const traits = {
      description: commentOf(body.field ?? body.message),
      without: body.without,
      partial: mask !== undefined,
    };
    return this.add(`${id}Body`, this.#objectSchema(body.message, 'input', traits));
  }

  /** The schemas of request fields. */
  get input(): SchemaOf {
    return this.#schemaOf('input');
  }

  /** Adds a schema that no message has, and refers to it. Throws an Error when its name is taken. */
  add(name: string, schema: Schema): Schema {
    if (this.#components.has(name)) throw new Error(`two schemas are named ${name}`);
    this.#components.set(name, schema);
    return reference('schemas', name);
  }

  /** Every schema that something refers to, by name. */
  components(): JsonObject {
    return sorted(this.#components);
  }

  #schemaOf(direction: Direction): SchemaOf {
    return (desc) => (desc.kind === 'enum' ? this.#enum(desc) : this.#message(desc, direction));
  }

  #enum(desc: DescEnum): Schema {
    if (!this.#enums.has(desc)) {
      this.#enums.add(desc);
      const values = answeredEnums(desc);
      const types = [...new Set(values.map(typeOf))];
      const type = types.length === 1 ? (types[0] ?? 'string') : types;
      this.add(desc.name, { ...described(commentOf(desc)), type, enum: [...values] });
    }
    return reference('schemas', desc.name);
  }

  #message(desc: DescMessage, direction: Direction): Schema {
    const shape = shapeOf(desc);
    if (shape.kind === 'struct') return { type: 'object', additionalProperties: true };
    if (shape.kind === 'list') return fieldSchema(shape.items, this.#schemaOf(direction));
    return this.#component(desc, shape, direction);
  }

  #component(desc: DescMessage, shape: Shape & { kind: 'union' | 'object' }, direction: Direction): Schema {
    const known = this.#names[direction].get(desc);
    if (known !== undefined) return reference('schemas', known);
    const isShared = direction === 'input' && this.#names.output.has(desc);
    const name = isShared ? `${desc.name}Input` : desc.name;
    this.#names[direction].set(desc, name);
    return this.add(
      name,
      shape.kind === 'union'
        ? this.#unionSchema(desc, shape.oneof, direction)
        : this.#objectSchema(desc, direction, {
            description: commentOf(desc),
            without: new Set(),
            partial: false,
          }),
    );
  }

  #unionSchema(desc: DescMessage, { fields }: DescOneof, direction: Direction): Schema {
    const forms = fields.map((field) => ({
      ...described(commentOf(field)),
      ...fieldSchema(field, this.#schemaOf(direction)),
    }));
    return { ...described(commentOf(desc)), anyOf: forms };
  }

  #objectSchema(desc: DescMessage, direction: Direction, { description, without, partial }: Traits): Schema {
    const shape = shapeOf(desc);
    if (shape.kind !== 'object') throw new Error(`${desc.typeName} is not spelled as an object`);
    const isInput = direction === 'input';
    const members = shape.members.filter(
      ({ name, rule }) => !(isInput ? rule.readOnly || without.has(name) : rule.inputOnly),
    );
    const required = members.filter(({ field, rule }) =>
      isInput ? !partial && isRequired(field) : !mayBeLeftOut(rule),
    );
    const namesOf = (name: string) => (isInput ? [name] : [name, ...(this.#aliases.get(name) ?? [])]);
    const properties = members.flatMap((member) => {
      const schema = memberSchema(member, direction, this.#schemaOf(direction));
      return namesOf(member.name).map((name): [string, Schema] => [name, schema]);
    });
    const own = Object.fromEntries(properties);
    const neutral = isInput ? {} : neutralSchemas(shape, own);
    const names = [...required.flatMap(({ name }) => namesOf(name)), ...Object.keys(neutral)];
    return {
      ...described(description),
      type: 'object',
      properties: { ...own, ...neutral },
      ...(names.length > 0 && { required: [...new Set(names)] }),
      ...((isInput || shape.open !== undefined) && { additionalProperties: shape.open !== undefined }),
    };
  }
}

function typeOf(value: string | number | null): string {
  if (value === null) return 'null';
  return typeof value === 'number' ? 'integer' : 'string';
}

/** The schemas of members that an answer always has since they are neutral ones, by name. */
function neutralSchemas({ members, neutral }: ObjectShape, schemas: JsonObject): Record<string, Schema> {
  const entries = Object.entries(neutral).map(([name, value]): [string, Schema] => {
    const field = members.find((member) => member.name === name)?.field;
    const own = schemas[name];
    if (field === undefined) return [name, { description: MEANINGLESS, const: value }];
    if (!isJsonObject(own)) return [name, {}];
    const inner = field.message === undefined ? undefined : shapeOf(field.message);
    if (inner?.kind !== 'object' || !isJsonObject(value)) return [name, own];
    const properties = neutralSchemas({ ...inner, neutral: value }, {});
    return [name, { allOf: [own, { type: 'object', properties, required: Object.keys(properties) }] }];
  });
  return Object.fromEntries(entries);
}

const MEANINGLESS = 'Means nothing here; for clients that demand it.';
