/** Contents of messages: the types that parts of each role have, and images by their bytes. */
import type { JsonObject } from '../../formats/chat/types.js';
import { imageTypeOf } from '../../formats/image-type.js';
import { isObject, members, textOf } from '../../formats/json.js';
import { mapped, refused } from '../fit/step.js';
import { changed, itemsOf, type ResponsesCall, type ResponsesStep, typeOf, withMembers } from './step.js';

export const fitParts: ResponsesStep = (call, { typedParts, chat: { images } }) => {
  const items = itemsOf(call);
  if (items.length === 0 || (!typedParts && images === null)) return call;
  return withMembers(call, {
    input: mapped(items, (item, at) => {
      if (!isObject(item)) return item;
      const name = Array.isArray(item.output) ? 'output' : 'content';
      const parts = item[name];
      const isMessage = typeOf(item) === 'message';
      if (!Array.isArray(parts) || (!isMessage && name === 'content')) return item;
      const isAnswer = isMessage && item.role === 'assistant';
      const fitted = mapped(parts, (part: unknown, index) => {
        if (!isObject(part)) return part;
        const typed = typedParts ? withTypeOfRole(part, isAnswer) : part;
        return images === null
          ? typed
          : withKnownImage(typed, `input[${at}].${name}[${index}]`, images, call);
      });
      return changed(item, { [name]: fitted });
    }),
  });
};

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

/** What clients of chats call a text or an image, and texts of the other role. */
function withTypeOfRole(part: JsonObject, isAnswer: boolean): JsonObject {
  const { type, image_url } = part;
  if (TEXTS.has(type)) return changed(part, { type: isAnswer ? 'output_text' : 'input_text' });
  if (type !== 'image_url' && (type !== 'input_image' || !isObject(image_url))) return part;
  const { url = image_url, detail = part.detail } = members(image_url);
  const image = type === 'input_image' ? part : { type: 'input_image' };
  return changed<JsonObject>(image, { image_url: url, detail });
}

const DATA_URL = /^data:([^;,]*);base64,/i;

/** Labels an image by what it is. */
function withKnownImage(
  part: JsonObject,
  path: string,
  images: readonly string[],
  call: ResponsesCall,
): JsonObject {
  const url = part.type === 'input_image' ? (textOf(part.image_url) ?? '') : '';
  const [head, label = ''] = DATA_URL.exec(url) ?? [];
  if (head === undefined) return part;
  const data = url.slice(head.length);
  const type = imageTypeOf(data, label);
  if (!images.includes(type))
    throw refused(call, `${path}.image_url`, `no images of type ${type}, but ${images.join(', ')}`);
  return type === label ? part : { ...part, image_url: `data:${type};base64,${data}` };
}
