/** Translates how much a model shall think, and the form of its answer. */
import { textKey } from '../../base/text.js';
import type { JsonObject } from '../chat/types.js';
import { elements, isObject, members, textOf } from '../json.js';
import type { Findings } from '../reading/findings.js';
import type { MessagesBody } from './types.js';

/** The member `reasoning`; empty if the request leaves it to the model. */
export function chatReasoning({ thinking, output_config }: MessagesBody, findings: Findings): JsonObject {
  const { type, budget_tokens } = members(thinking);
  const effort = textOf(members(output_config).effort);
  if (type === 'disabled') return { reasoning: { enabled: false } };
  if (type === 'enabled' && budget_tokens !== undefined) return budgetOf(budget_tokens, findings);
  if (effort !== undefined) return { reasoning: { effort } };
  return isObject(thinking) ? { reasoning: { enabled: true } } : {};
}

function budgetOf(budget: unknown, findings: Findings): JsonObject {
  const isCount = Number.isSafeInteger(budget) && Number(budget) > 0;
  if (!isCount) findings.refuse('thinking.budget_tokens', 'integer', 'must be an integer of at least 1');
  return { reasoning: { max_tokens: budget } };
}

/** A name for the schema of an answer, which chats require. */
const SCHEMA_NAME = 'answer';

/** The member `response_format`, from `output_config.format` or its older spelling `output_format`. */
export function chatResponseFormat(body: MessagesBody, findings: Findings): JsonObject {
  const { format: current, effort, ...rest } = members(body.output_config);
  for (const name of Object.keys(rest)) findings.omit(`output_config.${name}`);
  const format = members(current ?? body.output_format);
  if (format.type !== 'json_schema') return {};
  const { schema } = format;
  const json_schema = { name: SCHEMA_NAME, schema, strict: isStrict(schema) };
  return { response_format: { type: 'json_schema', json_schema } };
}

/**
 * Whether OpenAI takes the schema as strict: every object is closed and requires all of its properties
 * (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas). Anthropic also takes optional ones.
 */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isObject(schema)) return true;
  const properties = members(schema.properties);
  const isOfObjects = schema.type === 'object' || schema.properties !== undefined;
  return (!isOfObjects || isClosed(schema, properties)) && schemasIn(schema, properties).every(isStrict);
}

function isClosed({ required, additionalProperties }: JsonObject, properties: JsonObject): boolean {
  const names = new Set(
    elements(required).flatMap((name) => (typeof name === 'string' ? textKey(name) : [])),
  );
  return additionalProperties === false && Object.keys(properties).every((name) => names.has(textKey(name)));
}

/** Members whose values are no schemas, or whose schemas are collected elsewhere. */
const OTHERS: ReadonlySet<string> = new Set(['properties', 'enum', 'const', 'default', 'examples']);

function schemasIn(schema: JsonObject, properties: JsonObject): unknown[] {
  const nested = Object.entries(schema).flatMap(([name, value]) => (OTHERS.has(name) ? [] : [value]));
  return [...nested, ...Object.values(properties)];
}
