/** What is odd about blocks: thoughts, media, results with more than words, marks. */
import { base64, imageUrl, type MediaKind } from '../media.js';
import type { Rng } from '../rng.js';
import { foreignMark, redacted, signedThought } from '../thoughts.js';
import { text } from '../words.js';
import {
  allBlocks,
  type Block,
  blocksOf,
  change,
  type MessagesDraft,
  type Oddity,
  sayings,
  turnsOf,
} from './draft.js';

function image(rng: Rng, kind: MediaKind, media_type: string): Block {
  return { type: 'image', source: { type: 'base64', media_type, data: base64(rng, kind) } };
}

function addToUser(block: (rng: Rng) => Block): Oddity {
  return (draft, rng) => change(rng, sayings(draft), (turn) => void blocksOf(turn).push(block(rng)));
}

function thinking(block: (rng: Rng) => Block): Oddity {
  return (draft, rng) =>
    change(rng, turnsOf(draft, 'assistant'), (turn) => void blocksOf(turn).unshift(block(rng)));
}

function inResult(content: (rng: Rng) => unknown, more: object = {}): Oddity {
  return (draft, rng) =>
    change(
      rng,
      allBlocks(draft, 'tool_result'),
      (block) => void Object.assign(block, { content: content(rng), ...more }),
    );
}

export function mark(rng: Rng): object {
  return { type: 'ephemeral', ...(rng.chance(0.4) && { ttl: rng.pick(['5m', '1h']) }) };
}

function markable(draft: MessagesDraft): Block[] {
  return ['text', 'tool_use', 'tool_result', 'image'].flatMap((type) => allBlocks(draft, type));
}

const thought = (rng: Rng): Block => ({ type: 'thinking', ...signedThought(rng) });

export const CONTENT_ODDITIES: Readonly<Record<string, Oddity>> = {
  'thoughts: of Claude, before every answer': (draft, rng) => {
    for (const turn of turnsOf(draft, 'assistant')) blocksOf(turn).unshift(thought(rng));
    return turnsOf(draft, 'assistant').length > 0;
  },
  'thoughts: of Claude, in one answer': thinking(thought),
  'thoughts: interleaved': (draft, rng) => {
    const turn = turnsOf(draft, 'assistant').find((one) =>
      blocksOf(one).some(({ type }) => type === 'tool_use'),
    );
    if (turn !== undefined) turn.content = blocksOf(turn).flatMap((block) => [thought(rng), block]);
    return turn !== undefined;
  },
  'thoughts: redacted': thinking((rng) => ({ type: 'redacted_thinking', data: redacted(rng) })),
  'thoughts: with a mark of a gateway': thinking((rng) => ({
    type: 'thinking',
    thinking: text(rng),
    signature: foreignMark(rng),
  })),
  'thoughts: redacted, with a mark of a gateway': thinking((rng) => ({
    type: 'redacted_thinking',
    data: foreignMark(rng),
  })),
  'thoughts: without a signature': thinking((rng) => ({
    type: 'thinking',
    thinking: text(rng),
    signature: '',
  })),
  'thoughts: alone in their turn': (draft, rng) =>
    change(
      rng,
      turnsOf(draft, 'assistant').filter((turn) => blocksOf(turn).every(({ type }) => type === 'text')),
      (turn) => {
        turn.content = [{ type: 'thinking', thinking: text(rng), signature: foreignMark(rng) }];
      },
    ),
  'an image': addToUser((rng) => image(rng, 'png', 'image/png')),
  'JPEG that is called PNG': addToUser((rng) => image(rng, 'jpeg', 'image/png')),
  'a GIF': addToUser((rng) => image(rng, 'gif', 'image/gif')),
  'an image by its address': addToUser((rng) => ({
    type: 'image',
    source: { type: 'url', url: imageUrl(rng) },
  })),
  'a PDF': addToUser((rng) => ({
    type: 'document',
    title: rng.pick(['Bericht', 'a.v2']),
    source: { type: 'base64', media_type: 'application/pdf', data: base64(rng, 'pdf') },
  })),
  'a document of text': addToUser((rng) => ({
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: text(rng) },
    ...(rng.chance(0.5) && { title: 'Notes', context: text(rng) }),
  })),
  'a document of blocks': addToUser((rng) => ({
    type: 'document',
    source: { type: 'content', content: [{ type: 'text', text: text(rng) }] },
  })),
  'a search result': addToUser((rng) => ({
    type: 'search_result',
    title: 'Found',
    source: imageUrl(rng),
    content: [{ type: 'text', text: text(rng) }],
  })),
  'an image in a result': inResult((rng) => [
    { type: 'text', text: text(rng) },
    image(rng, 'png', 'image/png'),
  ]),
  'a JPEG called PNG in a result': inResult((rng) => [image(rng, 'jpeg', 'image/png')]),
  'a document in a result': inResult((rng) => [
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64(rng, 'pdf') } },
  ]),
  'a result that failed': inResult((rng) => text(rng), { is_error: true }),
  'a result without content': (draft, rng) =>
    change(rng, allBlocks(draft, 'tool_result'), (block) => void Reflect.deleteProperty(block, 'content')),
  'an empty result': inResult((rng) => rng.pick<unknown>(['', []])),
  'marks on blocks': (draft, rng) =>
    change(rng, markable(draft), (block) => void Object.assign(block, { cache_control: mark(rng) })),
  'a mark on the system': (draft, rng) => {
    if (draft.system === undefined) return false;
    const words = typeof draft.system === 'string' ? draft.system : text(rng);
    draft.system = [{ type: 'text', text: words, cache_control: mark(rng) }];
    return true;
  },
  'a mark with a scope': (draft, rng) => {
    draft.betas.push('prompt-caching-scope-2026-01-05');
    return change(
      rng,
      markable(draft),
      (block) => void Object.assign(block, { cache_control: { type: 'ephemeral', scope: 'global' } }),
    );
  },
  'a mark with a scope without its beta': (draft, rng) =>
    change(
      rng,
      markable(draft),
      (block) => void Object.assign(block, { cache_control: { type: 'ephemeral', scope: 'global' } }),
    ),
  'five marks': (draft) => {
    for (const block of markable(draft).slice(0, 5)) block.cache_control = { type: 'ephemeral' };
    return markable(draft).length >= 5;
  },
  'a mark on a thought': (draft, rng) => {
    const turn = turnsOf(draft, 'assistant')[0];
    if (turn !== undefined) blocksOf(turn).unshift({ ...thought(rng), cache_control: mark(rng) });
    return turn !== undefined;
  },
};
