/** What of a Messages request a host does not take, and nothing can be put in its place. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import { isBaseWord, modeWord } from '../../catalog/modes.js';
import { imageTypeOf } from '../image-type.js';
import { type JsonObject, members, textOf } from '../json.js';

export const PDF = 'application/pdf';

/** What the host takes instead of such an image or file; undefined if it takes it. A PDF that is called an image is a document. */
export function untakenMedia(
  block: JsonObject,
  { images, files }: Pick<MessagesContract, 'images' | 'files'>,
): string | undefined {
  const isStored = members(block.source).type === 'file' || block.type === 'container_upload';
  if (isStored && !files) return 'no files that are stored there';
  const image = inlineImageType(block);
  return image === undefined || image === PDF || images.includes(image)
    ? undefined
    : `no images of type ${image}, but ${images.join(', ')}`;
}

/** Where such a block, at a path, names what it is of. */
export function mediaField({ source }: JsonObject, path: string): string {
  return source === undefined ? path : `${path}.source`;
}

/** What the host takes instead of a tool of its own; undefined if it has it. */
export function untakenTool(
  { type }: JsonObject,
  { missingTools }: Pick<MessagesContract, 'missingTools'>,
): string | undefined {
  const isMissed = missingTools.some((beginning) => String(type).startsWith(beginning));
  return isMissed ? `no tools of type ${String(type)}` : undefined;
}

/** The media type of an image that is in the request itself, by its bytes. */
export function inlineImageType({ type, source }: JsonObject): string | undefined {
  const { type: kind, data, media_type } = members(source);
  if (type !== 'image' || kind !== 'base64') return undefined;
  return imageTypeOf(textOf(data) ?? '', textOf(media_type) ?? '');
}

/** What the host takes instead of a member that decides what the answer is; undefined if it takes it, or can do without. */
export function untakenMember(
  name: string,
  value: unknown,
  { members: known, missing }: Pick<MessagesContract, 'members' | 'missing'>,
): string | undefined {
  const isMissed = known !== null && !known.has(name) && missing.has(name) && !isNothing(name, value);
  return isMissed ? `no \`${name}\`` : undefined;
}

/** Values that ask for nothing that would not be so without them. */
function isNothing(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (name === 'inference_geo') return typeof value === 'string' && isBaseWord(name, modeWord(value));
  return name === 'thread' && members(value).type === 'create';
}

/** What the host takes instead of a schema of the answer; undefined if it takes one, or none is given. */
export function untakenFormat(
  body: JsonObject,
  { schemas }: Pick<MessagesContract, 'schemas'>,
): string | undefined {
  const format = members(body.output_config).format ?? body.output_format;
  const isMissed = format !== undefined && format !== null && !schemas;
  return isMissed ? 'no schema for the answers of this model' : undefined;
}
