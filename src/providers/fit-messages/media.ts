/** Images by their bytes, and media by their address. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import { elements, members, textOf } from '../../formats/json.js';
import { inlineImageType, mediaField, PDF, untakenMedia } from '../../formats/messages/untaken.js';
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

function fitted(block: Block, path: string, call: MessagesCall, contract: MessagesContract): Block {
  const untaken = untakenMedia(block, contract);
  if (untaken !== undefined) throw refused(call, mediaField(block, path), untaken);
  const source = members(block.source);
  const isFetched = call.areMediaFetched === true && /^https?:/i.test(textOf(source.url) ?? '');
  if (source.type === 'url' && !contract.addresses && !isFetched)
    throw refused(call, `${path}.source`, 'no media by their address');
  const media_type = inlineImageType(block);
  if (media_type === undefined) return block;
  const labelled = media_type === source.media_type ? source : { ...source, media_type };
  if (media_type === PDF) return { ...block, type: 'document', source: labelled };
  return labelled === source ? block : { ...block, source: labelled };
}
