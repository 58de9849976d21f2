/** What kind of part stands in a message, as far as hosts differ in what they take. */
import type { ChatContract } from '../../catalog/chat-contract.js';
import { imageTypeOf } from '../image-type.js';
import { isObject, members, textOf } from '../json.js';
import type { ChatMessage, ContentPart } from './types.js';

export type Role = ChatContract['parts'][number];

export interface PartKind {
  /** The part's `type`. */
  readonly type: string;
  /** The media type of an image that is in the request itself, by its bytes; else null. */
  readonly image: string | null;
  /** Of a file: in the request itself, or by its address; null for one that is stored at a host, and for other parts. */
  readonly file: 'text' | 'inline' | 'address' | null;
}

/** `developer` is another word for `system`, `function` an older one for `tool`. */
export function roleOf({ role }: Pick<ChatMessage, 'role'>): Role {
  if (role === 'developer' || role === 'system') return 'system';
  if (role === 'assistant') return 'assistant';
  return role === 'tool' || role === 'function' ? 'tool' : 'user';
}

export function kindOf(given: ContentPart): PartKind {
  const image = inlineImage(given);
  const part = image === undefined ? given : (asFile(image) ?? given);
  return {
    type: part.type,
    image: part === given ? (image?.type ?? null) : null,
    file: part.type === 'file' ? whereFileIs(part) : null,
  };
}

function whereFileIs(part: ContentPart): PartKind['file'] {
  const file = inlineFile(part);
  if (file !== undefined) return file.type.startsWith('text/') ? 'text' : 'inline';
  return /^https?:/i.test(textOf(members(part.file).file_data) ?? '') ? 'address' : null;
}

/** An image in a data URL. */
interface InlineImage {
  /** The media type by its bytes, else as labelled. */
  readonly type: string;
  readonly label: string;
  /** What stands between label and comma: `;base64`. */
  readonly parameters: string;
  readonly data: string;
}

const IMAGE_HEAD = /^data:([^;,]{1,100})(;[^,]{0,200})?,/i;

/** Longer than any head. */
const HEAD_CHARACTERS = 400;

/** undefined for one that has to be fetched, and for parts that are no images. */
export function inlineImage(part: ContentPart): InlineImage | undefined {
  if (!isObject(part) || part.type !== 'image_url') return undefined;
  const { image_url } = part;
  const url = textOf(image_url) ?? textOf(members(image_url).url) ?? '';
  const [head, label = '', parameters = ''] = IMAGE_HEAD.exec(url.slice(0, HEAD_CHARACTERS)) ?? [];
  if (head === undefined) return undefined;
  const data = url.slice(head.length);
  return { type: imageTypeOf(data, label), label, parameters, data };
}

/** Documents that clients send as images, which some APIs take. */
const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
]);

/** The file that such an image is; undefined for an image. */
export function asFile({ type, label, parameters, data }: InlineImage): ContentPart | undefined {
  const extension = DOCUMENTS.get(type);
  if (extension === undefined) return undefined;
  const file_data = `data:${label}${parameters},${data}`;
  return { type: 'file', file: { filename: `document.${extension}`, file_data } };
}

interface InlineFile {
  readonly type: string;
  readonly base64: string;
}

const FILE_HEAD = /^data:([^;,]{1,100})(?:;[^,]{0,200})?;base64,/i;

/** The file of a part that has it in base64. */
export function inlineFile({ file }: ContentPart): InlineFile | undefined {
  const data = textOf(members(file).file_data) ?? '';
  const [head, type = ''] = FILE_HEAD.exec(data.slice(0, HEAD_CHARACTERS)) ?? [];
  return head === undefined ? undefined : { type: type.toLowerCase(), base64: data.slice(head.length) };
}

/** What the host takes instead of such a part of this role; undefined if it takes it, as it is or made to fit. */
export function untakenPart(kind: PartKind, role: Role, contract: ChatContract): string | undefined {
  if (kind.type === 'text' || kind.type === 'refusal') return undefined;
  return (
    untakenImage(kind, contract) ?? untakenFromUser(kind, role, contract) ?? untakenIn(kind, role, contract)
  );
}

export function untakenImage({ image }: PartKind, { images }: ChatContract): string | undefined {
  const isTaken = image === null || images === null || images.some((taken) => taken === image);
  return isTaken ? undefined : `no images of type ${image}, but ${images.join(', ')}`;
}

/** Results count: what they have beside texts goes to the user's turn. */
export function untakenFromUser(kind: PartKind, role: Role, { userParts }: ChatContract): string | undefined {
  if (userParts === null || (role !== 'user' && role !== 'tool')) return undefined;
  const isTaken =
    userParts.includes(kind.type) ||
    kind.file === 'text' ||
    (kind.file !== null && FILE_TYPES.some((type) => userParts.includes(type)));
  return isTaken ? undefined : `no part of type ${kind.type}, but ${userParts.join(', ')}`;
}

/** Types of files of Mistral's and of Perplexity's. */
export const FILE_TYPES = ['document_url', 'file_url'] as const;

function untakenIn(kind: PartKind, role: Role, contract: ChatContract): string | undefined {
  const { parts, userParts, mediaInResults } = contract;
  const isText = kind.file === 'text' && userParts !== null && !userParts.includes(kind.type);
  const speaker = role === 'tool' && !mediaInResults ? 'user' : role;
  if (isText || parts.includes(speaker)) return undefined;
  return `texts alone in messages of the role ${speaker}, and no ${kind.type}`;
}
