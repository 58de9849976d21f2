/** Checks the examples of operations that ask models against what the gateway takes and answers. */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Plane } from '../../gen/byway/options/v1/options_pb.js';
import { compileOperations } from '../../src/rest/compile.js';
import type { Operation } from '../../src/rest/operation.js';
import { embeddingModel, rerankModel, testCatalog } from '../support/catalog.js';
import { launchGateway } from '../support/gateway.js';
import { asObject } from '../support/json-schema.js';
import { contentOf, published, publishedAnswer } from './published.js';

let gateway: Awaited<ReturnType<typeof launchGateway>>;
let document: JsonObject;
let asking: readonly Operation[];

beforeAll(async () => {
  const { providers, models } = testCatalog();
  const catalog = {
    providers,
    models: [...models, embeddingModel('demo/embed', ['demo']), rerankModel('demo/rerank', ['demo'])],
  };
  gateway = await launchGateway({ catalog });
  const operations = compileOperations(gateway.gateway.services.map(({ service }) => service));
  asking = operations.filter(({ rule, body }) => rule.plane === Plane.INFERENCE && body !== undefined);
  document = asObject(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterAll(() => gateway.stop());

describe('where a model is asked', () => {
  it('the example of a request is answered, as the example of an answer says', async () => {
    expect(asking.map(({ id }) => id)).toContain('CreateResponse');
    for (const operation of asking) {
      const answer = wordsIn(asObject(JSON.parse(await sent(operation, {}))));
      const example = wordsIn(exampleOf(operation, 'application/json'));
      expect([operation.id, answer]).toEqual([operation.id, expect.arrayContaining(example) as unknown]);
    }
  });

  it('the example of a piece of a stream is one that streams have', async () => {
    const streaming = asking.filter(({ stream }) => stream !== undefined);
    expect(streaming.length).toBeGreaterThan(3);
    for (const operation of streaming) {
      const text = await sent(operation, { stream: true });
      const pieces = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
      const kinds = pieces.map(({ object, type }) => object ?? type);
      const { object, type } = exampleOf(operation, 'text/event-stream');
      expect([operation.id, kinds]).toEqual([
        operation.id,
        expect.arrayContaining([object ?? type]) as unknown,
      ]);
    }
  });
});

/** The answer to the example with these members too. */
async function sent(operation: Operation, members: object): Promise<string> {
  const { example } = contentOf(asObject(published(document, operation).requestBody));
  const response = await fetch(`${gateway.rest}${operation.path}`, {
    method: operation.httpMethod,
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...asObject(example), ...members }),
  });
  const text = await response.text();
  expect([operation.id, response.status, text]).toEqual([operation.id, 200, text]);
  return text;
}

function exampleOf(operation: Operation, type: string): JsonObject {
  return asObject(contentOf(publishedAnswer(document, operation, 200), type).example);
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Members whose values are words of the API. */
const WORDS: ReadonlySet<string> = new Set([
  'object',
  'type',
  'role',
  'status',
  'finish_reason',
  'stop_reason',
]);

/** The words of an answer by where they stand, and the form of its identifier. */
function wordsIn(answer: JsonObject): string[] {
  return [String(answer.id).replace(UUID, 'ID'), ...wordsBelow(answer, '')];
}

function wordsBelow(value: JsonValue | undefined, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = `${place}.${name}`;
    return WORDS.has(name) && typeof inner === 'string'
      ? [`${path} ${inner}`]
      : wordsBelow(inner as JsonValue, path);
  });
}
