/** Translates `response_format` to Converse's terms. */
import { exactJson } from '../../../base/json/json-body.js';
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { mapRefused } from '../../anthropic/chat/response-format.js';
import { mapIn, supportedSchema } from '../../anthropic/chat/schema.js';
import { JSON_ONLY, jsonFollowing } from '../../common/told-format.js';
import type { Block } from './block.js';
import type { BedrockModel } from './model.js';

/** A schema if the model accepts one, else an instruction. */
export interface ResponseFormat {
  /** The member `textFormat` of `outputConfig`. */
  readonly textFormat?: JsonObject;
  /** Added to the system prompt. */
  readonly instruction?: Block;
}

export function responseFormatOf(
  { response_format }: ChatBody,
  { family, takesSchemas }: BedrockModel,
): ResponseFormat {
  const { type, json_schema } = members(response_format);
  if (type === 'json_object') return { instruction: { text: JSON_ONLY } };
  const { schema, name, description } = members(json_schema);
  if (type !== 'json_schema' || !isObject(schema)) return {};
  if (!takesSchemas) return { instruction: { text: jsonFollowing(schema) } };
  const map = family === 'claude' ? mapIn(schema) : undefined;
  if (map !== undefined) throw mapRefused(map);
  const named = textOf(name);
  const descriptionText = textOf(description);
  const jsonSchema = {
    schema: exactJson(family === 'claude' ? supportedSchema(schema) : schema),
    ...(named !== undefined && { name: named }),
    ...(descriptionText !== undefined && { description: descriptionText }),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}
