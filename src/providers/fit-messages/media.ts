/** Images by their bytes, and media by their address. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import { elements, members, textOf } from '../../formats/json.js';
import { imageTypeIn } from '../common/media-type.js';
import { refused } from '../fit/step.js';
import { type Block, eachBlock } from './blocks.js';
import { type MessagesCall, type MessagesStep, withMembers } from './step.js';

/** Labels images by what they are, makes PDFs documents, and refuses what the host can't read or fetch. */
export const fitMedia: MessagesStep = (call, contract) =>
  withMembers(call, {
    messages: eachBlock(elements(call.body.messages), {
      isMeant: ({ type }) => type === 'image' || type === 'document' || type === 'container_upload',
      change: (block, path) => fitted(block, path, call, contract),
    }),
  });

/** How much of the base64 tells what an image is. */
const HEAD_CHARACTERS = 32;

function fitted(
  block: Block,
  path: string,
  call: MessagesCall,
  { addresses, files, images }: MessagesContract,
): Block {
  const source = members(block.source);
  if (!files && (source.type === 'file' || block.type === 'container_upload'))
    throw refused(call, source.type === 'file' ? `${path}.source` : path, 'no files that are stored there');
  const isFetched = call.areMediaFetched === true && /^https?:/i.test(textOf(source.url) ?? '');
  if (source.type === 'url' && !addresses && !isFetched)
    throw refused(call, `${path}.source`, 'no media by their address');
  if (block.type !== 'image' || source.type !== 'base64') return block;
  const label = textOf(source.media_type) ?? '';
  const type = imageTypeIn((textOf(source.data) ?? '').slice(0, HEAD_CHARACTERS)) ?? named(label);
  if (type === 'application/pdf') return { ...block, type: 'document' };
  if (!images.includes(type)) {
    throw refused(call, `${path}.source`, `no images of type ${type}, but ${images.join(', ')}`);
  }
  return type === label ? block : { ...block, source: { ...source, media_type: type } };
}

/** Often sent, and registered nowhere. */
function named(label: string): string {
  const type = label.toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}
