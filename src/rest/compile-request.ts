/** Where the fields of a request message come from: path, query, body, or the members present in the body. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  ScalarType,
} from '@bufbuild/protobuf';
import { FieldMaskSchema } from '@bufbuild/protobuf/wkt';
import { type HttpBinding, type Segment, wrongMethod } from './http-rule.js';
import type { Body, PathParameter } from './operation.js';

export function isVariable(segment: Segment): segment is Segment & { kind: 'variable' } {
  return segment.kind === 'variable';
}

/** Resolves a path variable. Throws an Error unless it leads through messages to a single string or enum. */
export function pathParameter(method: DescMethod, names: readonly string[]): PathParameter {
  const fields: DescField[] = [];
  let message: DescMessage | undefined = method.input;
  for (const name of names) {
    const field: DescField | undefined = message?.fields.find((candidate) => candidate.name === name);
    if (field === undefined)
      throw wrongMethod(method, `the path names {${names.join('.')}}, which is not a field`);
    fields.push(field);
    message = field.fieldKind === 'message' ? field.message : undefined;
  }
  const last = fields.at(-1);
  return { name: names.at(-1) ?? '', fields, enum: enumOfVariable(method, last) };
}

/** The fields that the query string sets: all that neither path nor body nor mask provides. */
export function queryFields(
  { method, body }: HttpBinding,
  path: readonly PathParameter[],
  mask: DescField | undefined,
): readonly DescField[] {
  if (body === '*') return [];
  const taken = new Set<DescField | undefined>([mask, ...path.map(({ fields }) => fields[0])]);
  return method.input.fields.filter((field) => field.name !== body && !taken.has(field));
}

/** Undefined for an operation without a body. */
export function compileBody({ method, body }: HttpBinding, path: readonly PathParameter[]): Body | undefined {
  if (body === '') return undefined;
  if (body === '*') return { field: undefined, message: method.input, without: membersFromPath(path, []) };
  const field = method.input.fields.find((candidate) => candidate.name === body);
  if (field?.fieldKind !== 'message')
    throw wrongMethod(method, `body names ${body}, which is not a message field`);
  return { field, message: field.message, without: membersFromPath(path, [field]) };
}

/** The FieldMask of an update. Throws an Error when a PATCH has none, or no body of its own to derive it from. */
export function maskField({ method, httpMethod, body }: HttpBinding): DescField | undefined {
  if (httpMethod !== 'PATCH') return undefined;
  const mask = method.input.fields.find((field) => field.message?.typeName === FieldMaskSchema.typeName);
  if (mask?.name !== 'update_mask') throw wrongMethod(method, 'PATCH needs a FieldMask named update_mask');
  if (body === '' || body === '*') throw wrongMethod(method, 'PATCH needs a body that is one field');
  return mask;
}

/** The members of the message at `above` that the path sets. */
function membersFromPath(path: readonly PathParameter[], above: readonly DescField[]): ReadonlySet<string> {
  const parameters = path.filter(
    ({ fields }) =>
      fields.length === above.length + 1 && above.every((field, index) => fields[index] === field),
  );
  return new Set(parameters.map(({ name }) => name));
}

function enumOfVariable(method: DescMethod, field: DescField | undefined): DescEnum | undefined {
  if (field?.fieldKind === 'enum') return field.enum;
  if (field?.fieldKind === 'scalar' && field.scalar === ScalarType.STRING) return undefined;
  throw wrongMethod(method, `the path variable ${field?.name ?? ''} is neither a string nor an enum`);
}
