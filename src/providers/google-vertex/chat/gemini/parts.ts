import type { ChatMessage, JsonObject } from '../../../../formats/chat/types.js';
import { members, textOf } from '../../../../formats/json.js';
import { mediaTypeOf } from '../../../common/media-type.js';
import { base64Part, mediaPart } from './media.js';
import { untranslatable } from './untranslatable.js';

/** The parts of a message's content, without empty texts, which Google refuses. */
export function geminiParts(content: ChatMessage['content']): JsonObject[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return content.map(partOf).filter((part) => part !== undefined);
}

function partOf(part: JsonObject): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return textPart(part.text);
    case 'refusal':
      return textPart(part.refusal);
    case 'image_url':
      return mediaPart(addressOf(part.image_url), 'image/jpeg');
    case 'video_url':
      return mediaPart(addressOf(part.video_url), 'video/mp4');
    case 'input_audio':
      return audioPart(members(part.input_audio));
    case 'file':
      return filePart(members(part.file));
    default:
      throw untranslatable(`content part of type ${JSON.stringify(part.type)}`);
  }
}

function textPart(text: unknown): JsonObject | undefined {
  const value = textOf(text);
  return value === undefined ? undefined : { text: value };
}

const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

/** Accepts `{url}`, and the bare URL that some clients send. */
function addressOf(member: unknown): string {
  const url = textOf(member) ?? textOf(members(member).url);
  if (url === undefined) throw untranslatable('media without a URL');
  return url;
}

function audioPart({ data, format }: JsonObject): JsonObject {
  const base64 = textOf(data);
  if (base64 === undefined) throw untranslatable('audio without data');
  return base64Part(`audio/${textOf(format) ?? 'wav'}`, base64);
}

/** Bytes in base64 without a media type get the type of the file's name. */
function filePart({ file_data, filename }: JsonObject): JsonObject {
  const url = textOf(file_data);
  if (url === undefined) throw untranslatable('file but by its data or address');
  const named = mediaTypeOf(textOf(filename));
  if (named !== undefined && !NOT_BASE64.test(url)) return base64Part(named, url);
  return mediaPart(url, 'application/pdf');
}
