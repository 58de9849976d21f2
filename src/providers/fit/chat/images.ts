/** Images by their bytes: clients label a JPEG as PNG, and hosts that look refuse it. Some send a PDF as an image. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { ChatMessage, ContentPart } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';
import { imageTypeIn } from '../../common/media-type.js';
import { type ChatCall, mapped, refused, type Step, withBody } from '../step.js';

/** Labels images by what they are, makes documents files, and refuses images that the host can't read. */
export const labelImages: Step = (call, { images }) => {
  if (images === null) return call;
  const relabelled = (message: ChatMessage, at: number): ChatMessage => {
    if (!Array.isArray(message.content)) return message;
    const content = mapped(message.content as readonly ContentPart[], (part, index) =>
      labelled(part, images, call, `messages[${at}].content[${index}]`),
    );
    return content === message.content ? message : { ...message, content };
  };
  return withBody(call, { messages: mapped(call.body.messages, relabelled) });
};

const HEAD = /^data:([^;,]{1,100})(;[^,]{0,200})?,/i;

/** Often sent, and registered nowhere. */
const JPG = 'image/jpg';

/** Documents that clients send as images, which some APIs take. */
const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
]);

function labelled(
  part: ContentPart,
  images: NonNullable<ChatContract['images']>,
  call: ChatCall,
  field: string,
): ContentPart {
  if (!isObject(part) || part.type !== 'image_url') return part;
  const { image_url } = part;
  const url = textOf(image_url) ?? textOf(members(image_url).url) ?? '';
  const [head, label = '', parameters = ''] = HEAD.exec(url.slice(0, 400)) ?? [];
  if (head === undefined) return part;
  const named = label.toLowerCase() === JPG ? 'image/jpeg' : label.toLowerCase();
  const type = imageTypeIn(url.slice(head.length, head.length + 32)) ?? named;
  const extension = DOCUMENTS.get(type);
  if (extension !== undefined)
    return { type: 'file', file: { filename: `document.${extension}`, file_data: url } };
  if (!images.some((taken) => taken === type)) {
    throw refused(call, field, `no images of type ${type}, but ${images.join(', ')}`);
  }
  if (type === label) return part;
  const corrected = `data:${type}${parameters},${url.slice(head.length)}`;
  return {
    ...part,
    image_url: isObject(image_url) ? { ...image_url, url: corrected } : corrected,
  };
}
