/** Clients that write every member send null for those that they leave out. */
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { demoModel, embeddingModel, rerankModel } from '../support/catalog.js';
import { asObject, resolve } from '../support/json-schema.js';
import { startMoneyGateway } from '../support/money.js';

const messages = [{ role: 'user', content: 'Hello' }];

const REQUESTS: Readonly<Record<string, JsonObject>> = {
  '/chat/completions': { model: 'test/chat', messages },
  '/messages': { model: 'test/chat', messages, max_tokens: 5 },
  '/responses': { model: 'test/chat', input: 'Hello' },
  '/completions': { model: 'test/completions', prompt: 'Hello' },
  '/embeddings': { model: 'test/embed', input: 'Hello' },
  '/rerank': { model: 'test/rerank', query: 'Hello', documents: ['Hello'] },
};

const MODELS = [
  demoModel('test/chat', ['a']),
  demoModel('test/completions', [
    { provider: 'a', upstream_model_id: 'echo', formats: ['chat', 'completions'] },
  ]),
  embeddingModel('test/embed', ['a']),
  rerankModel('test/rerank', ['a']),
];

it.each(Object.entries(REQUESTS))(
  'a null in a request to %s is as if it were left out',
  async (path, body) => {
    const gateway = await startMoneyGateway({ models: MODELS });
    const document = asObject(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
    const members = membersOfBody(document, path).filter(([name = '']) => !(name in body));
    expect(members).toContainEqual(['provider', 'max_price', 'request']);
    const refused = [];
    for (const member of members) {
      const sent = member.reduceRight<JsonValue>((value, name) => ({ [name]: value }), null);
      const { status, text } = await gateway.use('POST', path, { ...body, ...asObject(sent) });
      if (status !== 200) refused.push([member.join('.'), text]);
    }
    expect(refused).toEqual([]);
  },
);

/** The members that the schema of the body names, each with those in which it is. */
function membersOfBody(document: JsonObject, path: string): string[][] {
  const within = ['paths', `/api/v1${path}`, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  const schema = within.reduce((inner, name) => asObject(inner[name]), document);
  return membersIn(document, schema);
}

function membersIn(document: JsonObject, schema: JsonObject): string[][] {
  const { properties, anyOf } = resolve(document, schema);
  const named = Object.entries(asObject(properties ?? {})).flatMap(([name, of]) => [
    [name],
    ...membersIn(document, asObject(of)).map((inner) => [name, ...inner]),
  ]);
  const forms = Array.isArray(anyOf) ? anyOf : [];
  return [...named, ...forms.flatMap((form) => membersIn(document, asObject(form)))];
}
