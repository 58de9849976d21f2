/** The form of the answer: where the host has no member for it, the model is told in words. */
import type { ChatBody, ChatMessage } from '../../formats/chat/types.js';
import { elements, isObject, members } from '../../formats/json.js';
import { roleOf } from './contents.js';
import { type ChatCall, type Step, withBody } from './step.js';

const JSON_ONLY = 'Answer with one JSON object and nothing else: no words around it, no code fence.';

export const fitAnswerFormat: Step = (call, contract) => {
  const format = members(call.body.response_format);
  const schema = format.type === 'json_schema' ? members(format.json_schema).schema : undefined;
  if (format.type !== 'json_object' && schema === undefined) return call;
  if (!contract.formatWithTools && elements(call.body.tools).length > 0) {
    return instructed(call, schema, undefined);
  }
  if (schema !== undefined && !contract.schemaFormat)
    return instructed(call, schema, { type: 'json_object' });
  const isSilent = contract.jsonByWord && format.type === 'json_object' && !speaksOfJson(call.body);
  return isSilent ? withInstruction(call, JSON_ONLY) : call;
};

function instructed(call: ChatCall, schema: unknown, response_format: ChatBody['response_format']): ChatCall {
  call.onAdapted?.('response_format', 'changed');
  const { response_format: _, ...body } = call.body;
  const following = isObject(schema) ? ` It follows this JSON schema: ${JSON.stringify(schema)}` : '';
  const told = withInstruction({ ...call, body }, `${JSON_ONLY}${following}`);
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
  return messages.some(({ content }) =>
    /json/i.test(typeof content === 'string' ? content : JSON.stringify(content ?? '')),
  );
}
