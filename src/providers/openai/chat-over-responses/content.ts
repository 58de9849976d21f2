/** Contents of messages as the Responses API has them. */
import type { ChatMessage, ContentPart, JsonObject } from '../../../formats/chat/types.js';
import { members, textOf } from '../../../formats/json.js';
import { mediaTypeOf } from '../../common/media-type.js';

type Content = ChatMessage['content'];

/** What a user or the system says: a text, or a list of parts. */
export function inputContent(content: Content): string | readonly JsonObject[] {
  return typeof content === 'string' ? content : (content ?? []).map(inputPart);
}

/** The output of a call: a text where it is of texts alone, which every host takes. */
export function outputContent(content: Content): string | readonly JsonObject[] {
  if (typeof content === 'string') return content;
  const parts = content ?? [];
  const isPlain = parts.every(({ type }) => type === 'text');
  return isPlain ? parts.map(({ text }) => text ?? '').join('\n') : parts.map(inputPart);
}

/** Parts of other types are passed as they are: the host may know them. */
function inputPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text ?? '', ...breakpointOf(part) };
    case 'refusal':
      return { type: 'input_text', text: textOf(part.refusal) ?? '' };
    case 'image_url':
      return { type: 'input_image', ...imageMembers(part.image_url), ...breakpointOf(part) };
    case 'file':
      return { type: 'input_file', ...fileMembers(members(part.file)), ...breakpointOf(part) };
    default:
      return part;
  }
}

/** OpenAI's own mark of where its cache ends. */
function breakpointOf({ prompt_cache_breakpoint }: ContentPart): JsonObject {
  return prompt_cache_breakpoint === undefined ? {} : { prompt_cache_breakpoint };
}

/** Some clients send the bare URL instead of the object. */
function imageMembers(image: unknown): JsonObject {
  const { url, detail } = members(image);
  return { image_url: textOf(image) ?? url, detail: textOf(detail) ?? 'auto' };
}

/** A file in the request needs a name and a media type: OpenAI tells what it is by both. */
function fileMembers({ file_data, file_id, filename }: JsonObject): JsonObject {
  const name = textOf(filename);
  const named = name === undefined ? {} : { filename: name };
  const data = textOf(file_data);
  if (data === undefined) return { file_id, ...named };
  if (/^https?:/i.test(data)) return { file_url: data, ...named };
  const url = /^data:/i.test(data) ? data : `data:${mediaTypeOf(name) ?? PDF};base64,${data}`;
  return { file_data: url, filename: name ?? `file.${extensionOf(url)}` };
}

const PDF = 'application/pdf';

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['application/json', 'json'],
]);

const MEDIA_TYPE = /^data:([^;,]{1,100})/i;

/** Longer than any media type. */
const HEAD_CHARACTERS = 200;

function extensionOf(url: string): string {
  const [, mediaType = ''] = MEDIA_TYPE.exec(url.slice(0, HEAD_CHARACTERS)) ?? [];
  return EXTENSIONS.get(mediaType.toLowerCase()) ?? 'pdf';
}
