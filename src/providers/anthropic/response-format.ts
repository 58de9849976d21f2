/** `response_format` in Anthropic's terms. */
import type { ChatBody, JsonObject } from '../../formats/chat/types.js';
import { isObject, members } from '../http/json.js';
import { type Block, textBlock } from './block.js';
import type { ModelTraits } from './model.js';
import { supportedSchema } from './schema.js';

/** A schema where the model takes one, else an instruction. */
export interface ResponseFormat {
  /** The member `format` of `output_config`. */
  readonly format?: JsonObject;
  /** Added to the system prompt. */
  readonly instruction?: Block;
}

export function responseFormatOf(
  { response_format }: ChatBody,
  { takesSchemas }: ModelTraits,
): ResponseFormat {
  const { type, json_schema } = members(response_format);
  if (type === 'json_object') return { instruction: textBlock(JSON_ONLY) };
  const { schema } = members(json_schema);
  if (type !== 'json_schema' || !isObject(schema)) return {};
  if (takesSchemas) return { format: { type: 'json_schema', schema: supportedSchema(schema) } };
  return { instruction: textBlock(`${JSON_ONLY} It follows this JSON schema: ${JSON.stringify(schema)}`) };
}

const JSON_ONLY = 'Answer with one JSON object and nothing else: no words around it, no code fence.';
