/** The form that an answer is to have. */
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import { isObject, members } from '../http/json.js';
import { type Block, textBlock } from './block.js';
import type { ModelTraits } from './model.js';
import { supportedSchema } from './schema.js';

/** A form is asked for by its schema where the model takes one, else in words. */
export interface AnswerForm {
  /** The member `format` of `output_config`. */
  readonly format?: JsonObject;
  /** What is added to the system prompt. */
  readonly instruction?: Block;
}

/** The form that the request asks for. */
export function formOf({ response_format }: ChatBody, { takesSchemas }: ModelTraits): AnswerForm {
  const { type, json_schema } = members(response_format);
  if (type === 'json_object') return { instruction: textBlock(JSON_ONLY) };
  const { schema } = members(json_schema);
  if (type !== 'json_schema' || !isObject(schema)) return {};
  if (takesSchemas) return { format: { type: 'json_schema', schema: supportedSchema(schema) } };
  return { instruction: textBlock(`${JSON_ONLY} It follows this JSON schema: ${JSON.stringify(schema)}`) };
}

const JSON_ONLY = 'Answer with one JSON object and nothing else: no words around it, no code fence.';
