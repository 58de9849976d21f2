import { type DescField, type DescMessage, type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import type { Path } from '@bufbuild/protobuf/reflect';
import { message as messageOption } from '../../gen/byway/options/v1/options_pb.js';
import { http } from '../../gen/google/api/annotations_pb.js';
import { memberPath } from './violations.js';

/**
 * The REST spelling of a path into a request of the method, as protovalidate reports it: without the field that
 * becomes the body, and without the wrappers of bare lists and unions (`allowed_api_key_hashes[3]`). The body itself
 * goes by the name of its field, since only an RPC can lack it.
 */
export function restFieldPath(path: Path, method: DescMethod): string {
  const [first, ...rest] = path;
  const isBody = first?.kind === 'field' && first.name === bodyOf(method);
  return (isBody && rest.length > 0 ? rest : path).reduce(append, '');
}

/** The path of a value in JSON: names of members and indexes of lists, from the outside in. */
export type JsonPath = readonly (string | number)[];

/** The REST spelling of a path into proto JSON of a request of the method; unknown names stay as they are. */
export function restPathOfJson(json: JsonPath, method: DescMethod): string {
  const path: Path = [];
  let desc: DescMessage | undefined = method.input;
  for (const step of json) {
    if (typeof step === 'number') {
      path.push({ kind: 'list_sub', index: step });
      continue;
    }
    const field: DescField | undefined = desc?.fields.find(
      ({ name, jsonName }) => name === step || jsonName === step,
    );
    path.push(field ?? { kind: 'map_sub', key: step });
    desc = field?.message;
  }
  return restFieldPath(path, method);
}

function bodyOf(method: DescMethod): string {
  return hasOption(method, http) ? getOption(method, http).body : '';
}

function append(path: string, part: Path[number]): string {
  switch (part.kind) {
    case 'list_sub':
      return `${path}[${part.index}]`;
    case 'map_sub':
      return memberPath(path, String(part.key));
    case 'oneof':
      return isWrapped(part.parent) ? path : memberPath(path, part.name);
    case 'field':
      return isWrapped(part.parent) ? path : memberPath(path, part.name);
    case 'extension':
      return memberPath(path, part.name);
  }
}

/** The members of such a message have no name in REST JSON. */
function isWrapped(message: DescMessage): boolean {
  const { bareList, union } = getOption(message, messageOption);
  return bareList || union;
}
