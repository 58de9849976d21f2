/** The images of a prompt. */
import { once } from '../../base/memory/once.js';
import { type ImageSize, imageSizeOf } from '../../formats/image-size.js';
import { isInlineAlone, isOfImage, mediaTokens, member } from './media-parts.js';

export interface PromptImage {
  /** What it counts where nothing is known of the model. */
  readonly tokens: number;
  /** OpenAI's member, where its API has it. */
  readonly detail: unknown;
  /** null = not known: behind a URL, at the host, or of another form. Read when first asked for. */
  readonly size: () => ImageSize | null;
}

/** null for parts that are no images. */
export function promptImageOf(part: object): PromptImage | null {
  if (!isOfImage(part)) return null;
  const { data, detail } = membersOf(part);
  const size = once(() => (data !== null && isInlineAlone(part) ? imageSizeOf(data) : null));
  return { tokens: mediaTokens(part), detail, size };
}

/** The members from which hosts read an image, and no others. */
function membersOf(part: object): { readonly data: string | null; readonly detail: unknown } {
  const source = member(part, 'source');
  const url = member(part, 'image_url');
  switch (member(part, 'type')) {
    case 'image':
      return {
        data: member(source, 'type') === 'base64' ? textOf(member(source, 'data')) : null,
        detail: null,
      };
    case 'input_image':
      return { data: dataOf(url), detail: member(part, 'detail') };
    default:
      return {
        data: dataOf(typeof url === 'string' ? url : member(url, 'url')),
        detail: member(url, 'detail'),
      };
  }
}

const DATA_URL = /^data:[^,]{0,200};base64,/i;

function dataOf(url: unknown): string | null {
  if (typeof url !== 'string') return null;
  const prefix = DATA_URL.exec(url)?.[0];
  return prefix === undefined ? null : url.slice(prefix.length);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
