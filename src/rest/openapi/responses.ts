import type { JsonObject } from '@bufbuild/protobuf';
import { Plane } from '../../../gen/byway/options/v1/options_pb.js';
import { type Apis, conventionsOf } from '../../http/api-conventions.js';
import { columnsOf, csvPage, rowsOf } from '../csv.js';
import type { Operation } from '../operation.js';
import { commentOf } from './comments.js';
import { errorResponsesOf } from './errors.js';
import { answerExample } from './examples.js';
import { headersOf, RATE_HEADERS } from './headers.js';
import type { Schemas } from './schemas.js';

/** Every answer of the operation, by status. */
export function responsesOf(operation: Operation, schemas: Schemas, apis: Apis): JsonObject {
  const { rule, successStatus, stream, exportFormat, body } = operation;
  const names = [
    ...(exportFormat === undefined ? [] : (['Content-Disposition'] as const)),
    ...(rule.revalidates ? (['ETag'] as const) : []),
    ...(stream === undefined
      ? []
      : (['X-Byway-Adapted', 'X-Byway-Remaining-Usd', 'X-Generation-Id'] as const)),
    ...(body?.message.field.cache === undefined ? [] : (['X-Byway-Cache'] as const)),
    ...(rule.plane === Plane.ADMINISTRATION || rule.plane === Plane.BATCHES ? RATE_HEADERS : []),
  ];
  const headers = headersOf(...names);
  return {
    [successStatus]: {
      description: successText(operation, apis),
      headers,
      content: contentOf(operation, schemas),
    },
    ...(rule.revalidates && { 304: { description: 'The earlier answer still holds.', headers } }),
    ...errorResponsesOf(operation, apis),
  };
}

function successText({ method, rule, stream }: Operation, apis: Apis): string {
  const text = commentOf(method.output);
  if (stream === undefined) return text;
  const events = conventionsOf(apis, rule.api)?.openapi?.events ?? OWN_EVENTS;
  return `${text} With \`${stream.member.name}\` true: ${events}.`;
}

const OWN_EVENTS = 'events whose `data` is a piece each, and last of all `[DONE]`';

function contentOf({ method, rule, stream, exportFormat }: Operation, schemas: Schemas): JsonObject {
  const mediaOf = ({ output }: Operation['method']) => ({
    schema: schemas.output(output),
    example: answerExample(output),
  });
  if (stream !== undefined) {
    return { 'application/json': mediaOf(method), 'text/event-stream': mediaOf(stream.method) };
  }
  const isLines = method.methodKind === 'server_streaming';
  return {
    [isLines ? 'application/jsonl' : 'application/json']: mediaOf(method),
    ...((exportFormat !== undefined || rule.csv) && {
      'text/csv': { schema: CSV_SCHEMA, example: csvExample(method, rule.csv) },
    }),
  };
}

const CSV_SCHEMA: JsonObject = {
  type: 'string',
  description:
    'As RFC 4180 has it, with a header. A column for each member; those of objects are named `object.member`, lists are JSON. Before a text that a spreadsheet would take for a formula stands an apostrophe.',
};

function csvExample({ output }: Operation['method'], isPage: boolean): string {
  const columns = columnsOf(isPage ? rowsOf(output) : output, new Map());
  const example = answerExample(output) as JsonObject;
  return csvPage(columns, isPage ? (example.data as JsonObject[]) : [example]);
}
