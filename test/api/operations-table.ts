import { Role } from '../../gen/byway/options/v1/options_pb.js';
import type { Operation } from '../../src/rest/operation.js';

/** The rows of the table in docs/compatibility.md: every operation over REST and RPC, and who may call it, by path. */
export function operationsTable(operations: readonly Operation[]): string {
  const head = '| REST | RPC | Callers | Success |\n|---|---|---|---|\n';
  const rows = operations.map(rowOf).sort(([a], [b]) => (a < b ? -1 : 1));
  return head + rows.map(([, row]) => row).join('\n');
}

function rowOf(operation: Operation): [path: string, row: string] {
  const { httpMethod, path, method, stream, query, rule, successStatus } = operation;
  const parameters = query.map(({ name }) => `\`${name}\``).join(', ');
  const rpcs = [method, ...(stream === undefined ? [] : [stream.method])];
  const cells = [
    `\`${httpMethod} ${path}\`${parameters && ` (${parameters})`}`,
    rpcs.map(({ parent, name }) => `\`${parent.name}.${name}\``).join(', '),
    rule.roles.map(nameOf).join(', '),
    String(successStatus),
  ];
  return [`${path} ${METHODS.indexOf(httpMethod)}`, `| ${cells.join(' | ')} |`];
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function nameOf(role: Role): string {
  return role === Role.ANONYMOUS ? 'anybody' : (Role[role] ?? '').toLowerCase().replace('_', ' ');
}
