/** What of a Messages request a host does not take, and nothing can be put in its place. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import { imageTypeOf } from '../image-type.js';
import { type JsonObject, members, textOf } from '../json.js';

/** What the host takes instead of such an image; undefined if it takes it. */
export function untakenMedia(
  block: JsonObject,
  { images }: Pick<MessagesContract, 'images'>,
): string | undefined {
  const image = inlineImageType(block);
  return image === undefined || images.includes(image)
    ? undefined
    : `no images of type ${image}, but ${images.join(', ')}`;
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
  if (name === 'inference_geo') return value === 'global';
  return name === 'thread' && members(value).type === 'create';
}

/** What the host takes instead of a schema of the answer; undefined if it takes one, or none is given. */
export function untakenFormat(
  body: JsonObject,
  { schemas }: Pick<MessagesContract, 'schemas'>,
): string | undefined {
  const { format } = members(body.output_config);
  const isMissed = format !== undefined && format !== null && !schemas;
  return isMissed ? 'no schema for the answers of this model' : undefined;
}
