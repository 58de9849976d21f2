/** Translates `response_format` to Anthropic's terms. */
import type { ChatBody, JsonObject } from '../../../formats/chat/types.js';
import { isObject, members } from '../../../formats/json.js';
import { UpstreamFailure } from '../../../inference/ports/failure.js';
import { JSON_ONLY, jsonFollowing } from '../../common/told-format.js';
import type { ModelTraits } from '../host/model.js';
import { type Block, textBlock } from './block.js';
import { mapIn, supportedSchema } from './schema.js';

/** A schema if the model accepts one, else an instruction. */
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
  const map = takesSchemas ? mapIn(schema) : undefined;
  if (map !== undefined) throw mapRefused(map);
  if (takesSchemas) return { format: { type: 'json_schema', schema: supportedSchema(schema) } };
  return { instruction: textBlock(jsonFollowing(schema)) };
}

/** The failure for a map in a schema. Without the map the answer would be to another question. */
export function mapRefused(map: string): UpstreamFailure {
  const message = `response_format.json_schema.schema${map}: Anthropic's models take no maps in the schema of an answer; name the properties`;
  return new UpstreamFailure(message, { kind: 'invalid_request' });
}
