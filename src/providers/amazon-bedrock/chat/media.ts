/** Media of messages, always inline, since Converse fetches no URLs. */
import type { ContentPart, JsonObject } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { readDataUrl as dataIn } from '../../common/data-url.js';
import { type Block, unsupported } from './block.js';

interface Media {
  /** Media type in lower case; empty if unknown. */
  readonly type: string;
  readonly base64: string;
}

/** Gives documents unique names: Converse refuses duplicates. */
export class DocumentNames {
  readonly #given = new Set<string>();
  /** The number to try for the next file of the same name. */
  readonly #next = new Map<string, number>();

  /** A unique name for the file, in allowed characters. */
  nameFor(filename: string | undefined): string {
    const plain = (filename ?? '')
      .slice(0, MAX_FILENAME_CHARACTERS)
      .replace(/\.[^.]*$/, '')
      .replaceAll(/[^a-zA-Z0-9()[\]-]+/g, ' ')
      .trim()
      .slice(0, MAX_NAME_CHARACTERS);
    const wanted = plain || 'Document';
    let name = wanted;
    let count = this.#next.get(wanted) ?? 2;
    for (; this.#given.has(name); count += 1) name = `${wanted} (${count})`;
    this.#next.set(wanted, count);
    this.#given.add(name);
    return name;
  }
}

/** The rest of a longer file name is ignored. */
const MAX_FILENAME_CHARACTERS = 1024;

/** Leaves room for a number within the provider's maximum of 200. */
const MAX_NAME_CHARACTERS = 180;

/** Throws `UpstreamFailure` `invalid_request` for an image that would have to be fetched, as do the functions below. */
export function imageBlock(image: unknown): Block {
  const url = textOf(image) ?? textOf(members(image).url);
  return imageOf(readDataUrl(url) ?? unread(url, 'image'));
}

export function audioBlock(audio: unknown): Block {
  const { data, format } = members(audio);
  const base64 = textOf(data);
  const named = textOf(format);
  if (base64 === undefined || named === undefined) throw unsupported('audio without data and format');
  return { audio: { format: named, source: { bytes: base64 } } };
}

export function videoBlock(video: unknown): Block {
  const url = textOf(video) ?? textOf(members(video).url);
  const { type, base64 } = readDataUrl(url) ?? unread(url, 'video');
  const format = VIDEO_FORMATS.get(type);
  if (format === undefined) throw unsupported(`videos of type ${type}`);
  return { video: { format, source: { bytes: base64 } } };
}

/** A document block, or an image block if the file is an image. */
export function fileBlock(part: ContentPart, names: DocumentNames): Block {
  const { file_data, filename } = isObject(part.file) ? part.file : NO_FILE;
  const given = textOf(file_data);
  if (given === undefined) throw unsupported('a file without file_data');
  const media = readDataUrl(given) ?? bareData(given);
  if (media.type.startsWith('image/')) return imageOf(media);
  const format = documentFormat(media.type, textOf(filename));
  const name = names.nameFor(textOf(filename));
  return { document: { format, name, source: { bytes: media.base64 } } };
}

const NO_FILE: JsonObject = {};

const IMAGE_FORMATS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

const VIDEO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'mp4'],
  ['video/webm', 'webm'],
  ['video/quicktime', 'mov'],
  ['video/x-matroska', 'mkv'],
  ['video/mpeg', 'mpeg'],
  ['video/x-flv', 'flv'],
  ['video/x-ms-wmv', 'wmv'],
  ['video/3gpp', 'three_gp'],
]);

const DOCUMENT_FORMATS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
]);

const DOCUMENT_EXTENSIONS: ReadonlySet<string> = new Set([...DOCUMENT_FORMATS.values(), 'txt']);

/** The format by media type, else by file name; a PDF if there is neither. */
function documentFormat(type: string, filename: string | undefined): string {
  const known = DOCUMENT_FORMATS.get(type);
  if (known !== undefined) return known;
  const extension = /\.([a-z]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  if (DOCUMENT_EXTENSIONS.has(extension)) return extension;
  if (/^text\/|[/+](?:json|xml|yaml|javascript)$/.test(type)) return 'txt';
  if (type === '' && extension === '') return 'pdf';
  throw unsupported(`files of type ${type || extension}`);
}

function imageOf({ type, base64 }: Media): Block {
  const format = IMAGE_FORMATS.get(type);
  if (format === undefined) throw unsupported(`images of type ${type}`);
  return { image: { format, source: { bytes: base64 } } };
}

function readDataUrl(url: string | undefined): Media | undefined {
  const data = url === undefined ? undefined : dataIn(url, unsupported);
  return data && { type: data.mediaType || 'text/plain', base64: data.base64 };
}

function bareData(given: string): Media {
  return isUrl(given) ? unread(given, 'file') : { type: '', base64: given };
}

function unread(url: string | undefined, what: string): never {
  if (url !== undefined && isUrl(url)) {
    throw unsupported(`a URL of ${article(what)} that it would have to fetch; send it as a data URL`);
  }
  throw unsupported(`${article(what)} that is no data URL`);
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function article(what: string): string {
  return what === 'image' ? `an ${what}` : `a ${what}`;
}
