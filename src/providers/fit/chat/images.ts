/** Images by their bytes: clients label a JPEG as PNG, and hosts that look refuse it. Some send a PDF as an image. */
import { asFile, inlineImage, kindOf, untakenImage } from '../../../formats/chat/part-kind.js';
import type { ChatMessage, ContentPart } from '../../../formats/chat/types.js';
import { isObject } from '../../../formats/json.js';
import { mapped, refused, type Step, withBody } from '../step.js';

/** Labels images by what they are, makes documents files, and refuses images that the host can't read. */
export const labelImages: Step = (call, contract) => {
  if (contract.images === null) return call;
  const relabelled = (message: ChatMessage, at: number): ChatMessage => {
    if (!Array.isArray(message.content)) return message;
    const content = mapped(message.content as readonly ContentPart[], (part, index) => {
      const rule = isObject(part) ? untakenImage(kindOf(part), contract) : undefined;
      if (rule !== undefined) throw refused(call, `messages[${at}].content[${index}]`, rule);
      return labelled(part);
    });
    return content === message.content ? message : { ...message, content };
  };
  return withBody(call, { messages: mapped(call.body.messages, relabelled) });
};

function labelled(part: ContentPart): ContentPart {
  const image = inlineImage(part);
  if (image === undefined) return part;
  const file = asFile(image);
  if (file !== undefined) return file;
  if (image.type === image.label) return part;
  const { image_url } = part;
  const url = `data:${image.type}${image.parameters},${image.data}`;
  return { ...part, image_url: isObject(image_url) ? { ...image_url, url } : url };
}
