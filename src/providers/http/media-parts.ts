/** Parts of chats, and blocks of Messages requests, that name media by URL. */
import { imageTypeOf } from '../../formats/image-type.js';
import { elements, isObject, type JsonObject, members, textOf } from '../../formats/json.js';

/** The URLs in a content, each as often as it occurs; those in results of tools too. */
export function urlsIn(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => urlOf(members(part)) ?? urlsIn(members(part).content));
}

/** The URL of a part or block that has to be fetched. */
function urlOf({ type, image_url, video_url, file, source }: JsonObject): string | undefined {
  const named: Readonly<Record<string, unknown>> = {
    image_url: textOf(image_url) ?? members(image_url).url,
    video_url: textOf(video_url) ?? members(video_url).url,
    file: members(file).file_data,
    image: members(source).url,
    document: members(source).url,
  };
  const url = Object.hasOwn(named, String(type)) ? textOf(named[String(type)]) : undefined;
  return url !== undefined && /^https?:/i.test(url) ? url : undefined;
}

/** Fetches the medium of a part or block of a type: its data URL. */
type DataUrl = (url: string, type: unknown) => Promise<string>;

/** Messages, parts or blocks, with the data of each in its URL's place. */
export async function inlinedElements(
  list: readonly unknown[],
  dataUrl: DataUrl,
): Promise<readonly unknown[]> {
  const inlined: unknown[] = [];
  for (const element of list) inlined.push(isObject(element) ? await inlinedIn(element, dataUrl) : element);
  return inlined;
}

async function inlinedIn(element: JsonObject, dataUrl: DataUrl): Promise<JsonObject> {
  const url = urlOf(element);
  if (url !== undefined) return withData(element, await dataUrl(url, element.type));
  if (urlsIn(element.content).length === 0) return element;
  return { ...element, content: await inlinedElements(elements(element.content), dataUrl) };
}

function withData(part: JsonObject, data: string): JsonObject {
  const { type, source } = part;
  if (isObject(source)) return { ...part, source: sourceOf(part, data) };
  if (type === 'file') return { ...part, file: { ...members(part.file), file_data: data } };
  return { ...part, [String(type)]: { ...members(part[String(type)]), url: data } };
}

/** The source of a block, which labels images by their bytes. */
function sourceOf({ type }: JsonObject, dataUrl: string): JsonObject {
  const comma = dataUrl.indexOf(',');
  const label = dataUrl.slice('data:'.length, dataUrl.lastIndexOf(';', comma));
  const data = dataUrl.slice(comma + 1);
  if (type === 'document' && label.startsWith('text/')) {
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString() };
  }
  const media_type = type === 'image' ? imageTypeOf(data, label) : label;
  return { type: 'base64', media_type, data };
}
