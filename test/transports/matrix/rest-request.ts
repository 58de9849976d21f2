/** A REST call, derived only from the contract's annotations, as any client could. */
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  isFieldSet,
  type JsonObject,
  type JsonValue,
  type Message,
} from '@bufbuild/protobuf';
import { type FieldMask, FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { http } from '../../../gen/google/api/annotations_pb.js';
import { ruleOf } from '../../../src/protobuf/method-rule.js';
import { shapeOf } from '../../../src/protobuf/shape.js';
import { enumSpellings } from '../../../src/protobuf/spelling.js';
import { writeMessage } from '../../../src/protobuf/write.js';

/** What a client sends. */
export interface RestRequest {
  readonly verb: string;
  /** Below the REST root, with the query. */
  readonly path: string;
  /** null = none. */
  readonly body: JsonObject | null;
}

/** The REST request for a message of the method. Path variables without a value get any. */
export function restRequestOf(method: DescMethod, message: Message): RestRequest {
  const { pattern, body } = getOption(method, http);
  if (pattern.case === undefined || pattern.case === 'custom') throw new Error(`${method.name} has no path`);
  const taken = new Set([body]);
  const path = pattern.value.replaceAll(/\{([^}]+)\}/g, (_, names: string) => {
    taken.add(names.split('.')[0] ?? '');
    return encodeURIComponent(variable(method, message, names.split('.')));
  });
  const query = new URLSearchParams();
  if (body !== '*') {
    const values = writtenFields(method.input, message, (field) => !taken.has(field.name) && !isMask(field));
    for (const [name, value] of Object.entries(values)) query.set(name, String(value));
  }
  return {
    verb: pattern.case.toUpperCase(),
    path: query.size === 0 ? path : `${path}?${query}`,
    body: body === '' ? null : bodyOf(method, message, body, pattern.value),
  };
}

function variable(method: DescMethod, message: Message, names: readonly string[]): string {
  let fields: readonly DescField[] = method.input.fields;
  let value: unknown = message;
  let field: DescField | undefined;
  for (const name of names) {
    field = fields.find((candidate) => candidate.name === name);
    value = membersOf(value)[field?.localName ?? ''];
    fields = field?.message?.fields ?? [];
  }
  if (field?.enum !== undefined) return String(enumSpellings(field.enum)[Math.max(0, Number(value) - 1)]);
  return typeof value === 'string' && value !== '' ? value : '-';
}

function bodyOf(method: DescMethod, message: Message, name: string, template: string): JsonObject {
  const field = method.input.fields.find((candidate) => candidate.name === name);
  const desc = field?.message ?? method.input;
  const inner = field === undefined ? message : membersOf(message)[field.localName];
  if (inner === undefined) return {};
  const prefix = field === undefined ? '{' : `{${name}.`;
  const { streamsWhen } = ruleOf(method);
  return {
    ...Object.fromEntries(maskOf(method, message).map((path) => [path, null])),
    ...writtenFields(desc, inner as Message, (one) => !template.includes(`${prefix}${one.name}}`)),
    ...(streamsWhen !== '' && { [streamsWhen]: true }),
  };
}

function maskOf(method: DescMethod, message: Message): readonly string[] {
  const mask = method.input.fields.find(isMask);
  return mask === undefined
    ? []
    : ((membersOf(message)[mask.localName] as FieldMask | undefined)?.paths ?? []);
}

function isMask(field: DescField): boolean {
  return field.message?.typeName === FieldMaskSchema.typeName;
}

/** The fields that are set, and members without a field. A text that only requests have is written here. */
function writtenFields(
  desc: DescMessage,
  message: Message,
  isWanted: (field: DescField) => boolean,
): JsonObject {
  const wanted = desc.fields.filter((field) => isWanted(field) && isFieldSet(message, field));
  if (wanted.length === 0) return {};
  const written = writeMessage(desc, message);
  const known = new Set(desc.fields.map(({ name }) => name));
  const shape = shapeOf(desc);
  const neutral = shape.kind === 'object' ? shape.neutral : {};
  const open = Object.entries(written).filter(([name]) => !known.has(name) && !Object.hasOwn(neutral, name));
  const set = wanted
    .filter((field) => field.name in written || field.fieldKind === 'scalar')
    .map((field) => [field.name, written[field.name] ?? (membersOf(message)[field.localName] as JsonValue)]);
  return Object.fromEntries([...open, ...set]);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
