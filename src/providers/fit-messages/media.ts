/** Images by their bytes, and media by their address. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import { elements, members } from '../../formats/json.js';
import { inlineImageType, untakenMedia } from '../../formats/messages/untaken.js';
import { refused } from '../fit/step.js';
import { type Block, eachBlock } from './blocks.js';
import { type MessagesCall, type MessagesStep, withMembers } from './step.js';

/** Labels images by what they are, and refuses what the host can't read or fetch. */
export const fitMedia: MessagesStep = (call, contract) =>
  withMembers(call, {
    messages: eachBlock(elements(call.body.messages), {
      isMeant: ({ type }) => type === 'image' || type === 'document',
      change: (block, path) => fitted(block, path, call, contract),
    }),
  });

function fitted(block: Block, path: string, call: MessagesCall, contract: MessagesContract): Block {
  const rule = untakenMedia(block, contract);
  if (rule !== undefined) throw refused(call, `${path}.source`, rule);
  const source = members(block.source);
  const media_type = inlineImageType(block);
  return media_type === undefined || media_type === source.media_type
    ? block
    : { ...block, source: { ...source, media_type } };
}
