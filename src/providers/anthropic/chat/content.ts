/** Translates content parts of the chat format to Anthropic's blocks. */
import { partsOfText } from '../../../formats/chat/content.js';
import type { ChatMessage, ContentPart, JsonObject } from '../../../formats/chat/types.js';
import { members, textOf } from '../../../formats/json.js';
import { UpstreamFailure } from '../../../inference/ports/failure.js';
import { type InlineData, readDataUrl } from '../../common/data-url.js';
import { mediaTypeOf } from '../../common/media-type.js';
import { type Block, cacheControlOf, textBlock, withoutBlankTexts } from './block.js';

/**
 * The blocks of a user's or tool's content: text, images and documents. Throws `UpstreamFailure` `invalid_request` for
 * content that the API does not take. Without the content the answer would be to another question.
 */
export function contentBlocks(content: ChatMessage['content']): Block[] {
  if (typeof content === 'string') return withoutBlankTexts([textBlock(content)]);
  return withoutBlankTexts((content ?? []).map(blockOf));
}

/** The blocks of a system message, which can only be text. Throws as `contentBlocks` does. */
export function systemBlocks(content: ChatMessage['content']): Block[] {
  const parts = typeof content === 'string' ? [] : (content ?? []);
  const stranger = parts.find(({ type }) => type !== 'text');
  if (stranger !== undefined) throw unsupported(`content of type ${stranger.type} in a system message`);
  return textBlocks(content);
}

/** The block of a piece of a part's text, whose cache point is on its last piece. None for a blank one. */
export function textPieces(
  { text, isLast }: { readonly text: string; readonly isLast: boolean },
  part: JsonObject = {},
): Block[] {
  return withoutBlankTexts([textBlock(text, isLast ? part : {})]);
}

/** The blocks of content that can only be text: that of the system. */
function textBlocks(content: ChatMessage['content']): Block[] {
  return withoutBlankTexts(partsOfText(content).map(({ text, part }) => textBlock(text, part)));
}

function blockOf(part: ContentPart): Block {
  switch (part.type) {
    case 'text':
      return textBlock(part.text ?? '', part);
    case 'image_url':
      return { type: 'image', source: imageSource(part.image_url), ...cacheControlOf(part) };
    case 'file':
      return fileBlock(part);
    default:
      throw unsupported(`content of type ${part.type}`);
  }
}

function imageSource(image: unknown): JsonObject {
  const url = textOf(image) ?? textOf(members(image).url);
  const data = url === undefined ? undefined : dataIn(url);
  if (data !== undefined) return base64Source(data);
  if (url === undefined || !/^https?:/i.test(url)) throw unsupported('an image that is no http or data URL');
  return { type: 'url', url };
}

/**
 * PDFs and texts become documents, images become images. Ids of files that are stored at the provider are not accepted.
 */
function fileBlock(part: ContentPart): Block {
  const { file_data, filename } = members(part.file);
  const given = textOf(file_data);
  if (given === undefined) throw unsupported('a file without file_data');
  const data = dataIn(given) ?? bareData(given, textOf(filename));
  if (data?.mediaType.startsWith('image/')) {
    return { type: 'image', source: base64Source(data), ...cacheControlOf(part) };
  }
  const title = textOf(filename);
  const source = data === undefined ? { type: 'url', url: given } : documentSource(data);
  return { type: 'document', source, ...(title !== undefined && { title }), ...cacheControlOf(part) };
}

function documentSource(data: InlineData): JsonObject {
  if (data.mediaType === 'application/pdf') return base64Source(data);
  if (!/^text\/|[/+](?:json|xml|yaml|javascript)$/.test(data.mediaType)) {
    throw unsupported(`a file of type ${data.mediaType}`);
  }
  const text = Buffer.from(data.base64, 'base64').toString();
  return { type: 'text', media_type: 'text/plain', data: text };
}

function base64Source({ mediaType, base64 }: InlineData): JsonObject {
  return { type: 'base64', media_type: TYPES.get(mediaType) ?? mediaType, data: base64 };
}

/** Media types that are not registered but often sent. */
const TYPES: ReadonlyMap<string, string> = new Map([['image/jpg', 'image/jpeg']]);

/** The content of a data URL. */
function dataIn(url: string): InlineData | undefined {
  const data = readDataUrl(url, unsupported);
  return data && { ...data, mediaType: data.mediaType || 'text/plain' };
}

/** Some clients send a file in base64 without a media type. The file's name decides, else it is taken for a PDF. */
function bareData(given: string, filename: string | undefined): InlineData | undefined {
  if (/^https?:/i.test(given)) return undefined;
  return { mediaType: mediaTypeOf(filename) ?? 'application/pdf', base64: given };
}

function unsupported(what: string): UpstreamFailure {
  return new UpstreamFailure(`Anthropic's models do not take ${what}`, { kind: 'invalid_request' });
}
