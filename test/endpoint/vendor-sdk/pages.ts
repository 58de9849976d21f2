/** The tables of docs/compatibility.md about OpenRouter's SDK. */
import type { DescMessage, JsonObject } from '@bufbuild/protobuf';
import { isJsonObject } from '../../../src/protobuf/members.js';
import { shapeOf } from '../../../src/protobuf/shape.js';
import type { Operation } from '../../../src/rest/operation.js';
import { NOT_SERVED, SERVED } from './sdk-methods.js';

/** What is served, with the members of its answer that are neutral, and what is not. */
export function sdkPages(operations: readonly Operation[]): string {
  const served = Object.entries(SERVED).map(([method, operation]) => {
    const found = operations.find(({ httpMethod, path }) => `${httpMethod} ${path}` === operation);
    if (found === undefined) throw new Error(`${method}: no operation ${operation}`);
    return `| \`${method}\` | \`${operation}\` | ${neutralOf(found.method.output).join(', ')} |`;
  });
  const others = Object.entries(NOT_SERVED).map(
    ([why, methods]) => `| ${methods.map(code).join(', ')} | ${why} |`,
  );
  return `${['| Method | Operation | Neutral members |', '|---|---|---|', ...served].join('\n')}\n
${['| Not served | Why |', '|---|---|', ...others].join('\n')}\n`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** The neutral members anywhere in the message, each once. */
function neutralOf(desc: DescMessage, seen = new Set<DescMessage>()): string[] {
  if (seen.has(desc)) return [];
  seen.add(desc);
  const shape = shapeOf(desc);
  if (shape.kind !== 'object') return [];
  const below = shape.members.flatMap(({ field }) =>
    field.message === undefined ? [] : neutralOf(field.message, seen),
  );
  return [...new Set([...namesOf(shape.neutral), ...below])];
}

/** Objects of neutral members alone count as one. */
function namesOf(neutral: JsonObject): string[] {
  return Object.entries(neutral).flatMap(([name, value]) =>
    isJsonObject(value) && IN_RECORDS.has(name)
      ? namesOf(value)
      : [`\`${name}\`: \`${JSON.stringify(value)}\``],
  );
}

/** Members that hold what the neutral ones are for. */
const IN_RECORDS: ReadonlySet<string> = new Set(['data', 'architecture']);
