/** The form of the answer: where the host has no member for it, the model is told in words. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { roleOf } from '../../../formats/chat/part-kind.js';
import type { ChatBody, ChatMessage, JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import { JSON_ONLY, jsonFollowing } from '../../common/told-format.js';
import { schemasIn, withSchemas } from '../schema/json-schema.js';
import { fittedAnswer } from '../schema/schemas.js';
import { canBeStrict, isClosed } from '../schema/strict.js';
import { type ChatCall, type Step, withBody, without } from '../step.js';
import { isThinking } from './thoughts.js';

export const fitAnswerFormat: Step = (call, contract) => {
  const format = members(call.body.response_format);
  const schema = format.type === 'json_schema' ? members(format.json_schema).schema : undefined;
  if (format.type !== 'json_object' && schema === undefined) return call;
  if (!contract.formatWithTools && elements(call.body.tools).length > 0) {
    return instructed(call, schema, undefined);
  }
  const isThoughtAbout = !contract.jsonWhileThinking && isThinking(call, contract);
  if (schema === undefined && (!contract.jsonFormat || isThoughtAbout))
    return instructed(call, schema, undefined);
  if (schema !== undefined && (!contract.schemaFormat || !isTaken(schema, contract))) {
    return instructed(call, schema, contract.jsonFormat ? { type: 'json_object' } : undefined);
  }
  if (isObject(schema)) return withFittedSchema(call, schema, contract);
  const isSilent = contract.jsonByWord && format.type === 'json_object' && !speaksOfJson(call.body);
  return isSilent ? withInstruction(call, JSON_ONLY) : call;
};

/** Objects with members that only their names' form is known of can't be closed. */
function isTaken(schema: unknown, { closedAnswers }: ChatContract): boolean {
  const isMap = (one: unknown) =>
    isObject(one) && one.type === 'object' && isObject(one.additionalProperties);
  return !closedAnswers || ![...schemasIn(schema)].some(isMap);
}

function withFittedSchema(call: ChatCall, given: JsonObject, contract: ChatContract): ChatCall {
  const format = members(call.body.response_format);
  const described = members(format.json_schema);
  const fitted = fittedAnswer(given, contract);
  const isOpen =
    contract.closedAnswers && [...schemasIn(fitted)].some((one) => isObject(one) && !isClosed(one));
  const schema = isOpen ? closed(fitted) : fitted;
  const isRelaxed = described.strict === true && !canBeStrict(schema, contract);
  if (isOpen) call.onAdapted?.('response_format.json_schema.schema', 'changed');
  if (isRelaxed) call.onAdapted?.('response_format.json_schema.strict', 'left_out');
  if (!isRelaxed && schema === given) return call;
  const { strict, ...rest } = described;
  const json_schema = { ...(isRelaxed ? rest : described), schema };
  return withBody(call, { response_format: { ...format, json_schema } });
}

/** Objects without members that the schema does not name. */
function closed(schema: unknown): JsonObject {
  if (!isObject(schema)) return schema as JsonObject;
  const within = withSchemas(schema, closed);
  return isClosed(schema) ? within : { ...within, additionalProperties: false };
}

function instructed(call: ChatCall, schema: unknown, response_format: ChatBody['response_format']): ChatCall {
  call.onAdapted?.('response_format', 'changed');
  const instruction = isObject(schema) ? jsonFollowing(schema) : JSON_ONLY;
  const told = withInstruction(without(call, ['response_format']), instruction);
  return response_format === undefined ? told : withBody(told, { response_format });
}

/** After what the system says, so that what comes before it stays as it was cached. */
function withInstruction(call: ChatCall, text: string): ChatCall {
  const { messages } = call.body;
  const found = messages.findIndex((message: ChatMessage) => roleOf(message) !== 'system');
  const at = found === -1 ? messages.length : found;
  const instruction: ChatMessage = { role: 'system', content: text };
  return withBody(call, { messages: [...messages.slice(0, at), instruction, ...messages.slice(at)] });
}

function speaksOfJson({ messages }: ChatBody): boolean {
  const isSpoken = (text: unknown) => typeof text === 'string' && /json/i.test(text);
  return messages.some(({ content }) =>
    Array.isArray(content)
      ? content.some((part: unknown) => isSpoken(members(part).text))
      : isSpoken(content),
  );
}
