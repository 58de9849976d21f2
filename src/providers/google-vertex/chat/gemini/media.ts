/** Media of a message, inline in base64 or by URL. */
import type { JsonObject } from '../../../../formats/chat/types.js';
import { readDataUrl } from '../../../common/data-url.js';
import { untranslatable } from './untranslatable.js';

/** Google requires a media type. A URL shows it only by its file extension, if at all. */
const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
  ['mpeg', 'video/mpeg'],
  ['mp3', 'audio/mp3'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['aac', 'audio/aac'],
  ['ogg', 'audio/ogg'],
  ['m4a', 'audio/m4a'],
]);

/** The part for a data URL or for a URL of media (`https:`, `gs:`). `type` is the default media type. */
export function mediaPart(url: string, type: string): JsonObject {
  if (url.startsWith('data:')) return inlinePart(url, type);
  if (!/^(?:https?|gs):\/\//.test(url)) throw untranslatable('media but data URLs and addresses');
  const [address = ''] = url.split(/[?#]/, 1);
  const extension = address.slice(address.lastIndexOf('.') + 1).toLowerCase();
  return { fileData: { mimeType: TYPES_BY_EXTENSION.get(extension) ?? type, fileUri: url } };
}

export function base64Part(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType: mimeType === 'image/jpg' ? 'image/jpeg' : mimeType, data } };
}

function inlinePart(url: string, type: string): JsonObject {
  const data = readDataUrl(url, untranslatable);
  if (data === undefined) throw untranslatable('data URL without data');
  return base64Part(data.mediaType || type, data.base64);
}
