/** What OpenAI refuses of schemas: of functions, of answers, and of those that the model is held to. */
import { documented, type Rule, reported } from '../rule.js';
import {
  allRequired,
  arraysOfSomething,
  closedObjects,
  FUNCTIONS,
  rootObject,
  rootWithout,
  STRICT,
  STRICT_ANSWERS,
  withoutWords,
} from '../schemas.js';

const STRUCTURED = 'https://developers.openai.com/api/docs/guides/structured-outputs';

function rules(): readonly Rule[] {
  const invalid = ({ of, name }: { of: string; name: string }) =>
    `Invalid schema for ${of === 'function' ? 'function' : 'response_format'} '${name}': `;
  const inside = (path: string) =>
    `In context=(${path
      .split('.')
      .filter(Boolean)
      .map((name) => `'${name}'`)
      .join(', ')}), `;
  return [
    rootWithout(
      reported('https://github.com/langchain-ai/langchainjs/issues/9804'),
      FUNCTIONS,
      ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'],
      (schema) =>
        `${invalid(schema)}schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
    ),
    rootObject(
      reported('https://github.com/chatanywhere/GPT_API_free/issues/403'),
      { ...FUNCTIONS, isEmptyNone: true },
      (schema, _, type) =>
        `${invalid(schema)}schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`,
    ),
    arraysOfSomething(
      reported(
        "public code that quotes In context=('properties', 'identifiers'), array schema missing items.",
      ),
      { of: ['function', 'answer'] },
      (schema, path) => `${invalid(schema)}${inside(path)}array schema missing items.`,
    ),
    rootObject(
      documented(STRUCTURED),
      STRICT_ANSWERS,
      (schema) => `${invalid(schema)}the root is not an object.`,
    ),
    rootWithout(
      documented(STRUCTURED),
      STRICT_ANSWERS,
      ['anyOf'],
      (schema) => `${invalid(schema)}anyOf at the root.`,
    ),
    closedObjects(
      documented(STRUCTURED),
      STRICT,
      (schema, path) =>
        `${invalid(schema)}${inside(path)}'additionalProperties' is required to be supplied and to be false.`,
    ),
    allRequired(
      documented(STRUCTURED),
      STRICT,
      (schema, path, name) =>
        `${invalid(schema)}${inside(path)}'required' is required to be supplied and to be an array including every key in properties. Missing '${name}'.`,
    ),
    withoutWords(
      documented(STRUCTURED),
      STRICT,
      { allOf: [{}], not: {}, if: {}, else: {}, dependentRequired: {}, dependentSchemas: {} },
      (schema, path, word) => `${invalid(schema)}${inside(path)}'${word}' is not permitted.`,
    ),
    withoutWords(
      reported('https://github.com/openai/openai-node/issues/1625'),
      STRICT,
      { oneOf: [{ type: 'string' }] },
      (schema, path, word) => `${invalid(schema)}${inside(path)}'${word}' is not permitted.`,
    ),
  ];
}

export const SCHEMA_RULES = rules();
