/** Words of schemas that a host has not, or not beside others. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { ChatTool, JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { withDefinitions } from '../schema/definitions.js';
import { changedBelow, referred } from '../schema/json-schema.js';
import { type ChatCall, mapped, type Step, withBody } from '../step.js';
import { withOriginal } from './tools.js';

/** What a root has beside the words that are taken is told in the description. References stand alone. */
export const fitSchemaWords: Step = (call, contract) => {
  if (contract.rootWords === null && contract.refSiblings) return call;
  const { tools } = call.body;
  if (!Array.isArray(tools)) return withAnswerSchema(call, contract);
  const fitted = mapped(tools as readonly ChatTool[], (tool, at) => withWords(tool, contract, call, at));
  return withAnswerSchema(withBody(call, { tools: fitted }), contract);
};

function withWords(tool: ChatTool, contract: ChatContract, call: ChatCall, at: number): ChatTool {
  const { parameters, description } = members(tool.function);
  if (!isObject(parameters)) return tool;
  const alone = contract.refSiblings ? parameters : referencesAlone(rooted(parameters));
  const { schema, isWider, isOpened } = withRootWords(alone, contract);
  if (schema === parameters) return tool;
  if (isWider || isOpened) call.onAdapted?.(`tools[${at}].function.parameters`, 'changed');
  return {
    ...tool,
    function: {
      ...tool.function,
      parameters: schema,
      ...(isWider && { description: withOriginal(textOf(description), parameters) }),
    },
  };
}

function withAnswerSchema(call: ChatCall, { refSiblings }: ChatContract): ChatCall {
  const format = members(call.body.response_format);
  const described = members(format.json_schema);
  if (refSiblings || !isObject(described.schema)) return call;
  const schema = referencesAlone(described.schema);
  if (schema === described.schema) return call;
  return withBody(call, { response_format: { ...format, json_schema: { ...described, schema } } });
}

/** The root of arguments is an object itself: what it refers to stands in its place. */
function rooted(schema: JsonObject): JsonObject {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  const { properties, ...others } = referred(schema, schema) ?? {};
  return {
    ...beside,
    ...others,
    properties: { ...members(properties), ...members(beside.properties) },
  };
}

/** Each reference that has words beside it, but for those that begin with `$`, in an `anyOf` beside them. */
function referencesAlone(schema: JsonObject): JsonObject {
  return changedBelow(schema, (one) => {
    const { $ref, ...beside } = one;
    if ($ref === undefined || Object.keys(beside).every((word) => word.startsWith('$'))) return one;
    return beside.anyOf === undefined ? { ...beside, anyOf: [{ $ref }] } : { $ref };
  });
}

/** Words at a root that admit nothing more and nothing less. */
const COMMENTS: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', '$defs', 'definitions', 'title', 'examples', 'default'],
]);

interface Rooted {
  readonly schema: JsonObject;
  /** Whether the model must be told of the original. */
  readonly isWider: boolean;
  /** Whether it admits members now that it does not name. */
  readonly isOpened: boolean;
}

function withRootWords(schema: JsonObject, { rootWords }: ChatContract): Rooted {
  const lost = rootWords === null ? [] : Object.keys(schema).filter((word) => !rootWords.includes(word));
  if (lost.length === 0) return { schema, isWider: false, isOpened: false };
  const kept = Object.fromEntries(Object.entries(schema).filter(([word]) => !lost.includes(word)));
  const hasDefinitions = lost.some((word) => word === '$defs' || word === 'definitions');
  const { placed, isComplete } = hasDefinitions
    ? withDefinitions(kept, schema)
    : { placed: kept, isComplete: true };
  const isOpened = schema.additionalProperties === false;
  const isSaid = (word: string) => COMMENTS.has(word) || (word === 'additionalProperties' && isOpened);
  return { schema: placed, isWider: !isComplete || !lost.every(isSaid), isOpened };
}
