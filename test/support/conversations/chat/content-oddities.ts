/** What is odd about what messages hold beside words: thoughts, media, marks, members that come back. */
import { base64, imageUrl, type MediaKind } from '../media.js';
import type { Rng } from '../rng.js';
import { foreignMark, geminiSignature, redacted, signedThought } from '../thoughts.js';
import { text } from '../words.js';
import { callers, callsOf, change, messagesOf, type Oddity, partsOf } from './draft.js';

function image(rng: Rng, kind: MediaKind, label: string): object {
  return {
    type: 'image_url',
    image_url: {
      url: `data:${label};base64,${base64(rng, kind)}`,
      ...(rng.chance(0.3) && { detail: 'low' }),
    },
  };
}

function addToUser(part: (rng: Rng) => object): Oddity {
  return (draft, rng) =>
    change(rng, messagesOf(draft, 'user'), (message) => void partsOf(message).push(part(rng)));
}

function thinking(how: (rng: Rng) => object): Oddity {
  return (draft, rng) =>
    change(rng, messagesOf(draft, 'assistant'), (message) => void Object.assign(message, how(rng)));
}

const claude = (rng: Rng, index = 0) => {
  const { thinking: words, signature } = signedThought(rng);
  return { type: 'reasoning.text', text: words, signature, format: 'anthropic-claude-v1', index };
};

export const CONTENT_ODDITIES: Readonly<Record<string, Oddity>> = {
  'thoughts: reasoning': thinking((rng) => ({ reasoning: text(rng) })),
  'thoughts: reasoning_content': thinking((rng) => ({ reasoning_content: text(rng) })),
  'thoughts: of Claude, before every call': (draft, rng) => {
    for (const message of callers(draft)) {
      const detail = claude(rng);
      Object.assign(message, { reasoning: detail.text, reasoning_details: [detail] });
    }
    return callers(draft).length > 0;
  },
  'thoughts: of Claude, in one message': thinking((rng) => ({
    reasoning_details: [claude(rng), claude(rng, 1)],
  })),
  'thoughts: of Claude, redacted': thinking((rng) => ({
    reasoning_details: [
      { type: 'reasoning.encrypted', data: redacted(rng), format: 'anthropic-claude-v1', index: 0 },
    ],
  })),
  'thoughts: of Claude, with a signature that is not its own': thinking((rng) => ({
    reasoning_details: [{ ...claude(rng), signature: foreignMark(rng) }],
  })),
  'thoughts: of Gemini, by call': (draft, rng) => {
    for (const message of callers(draft)) {
      message.reasoning_details = (message.tool_calls ?? []).slice(0, 1).map(({ id }, index) => ({
        type: 'reasoning.encrypted',
        data: geminiSignature(rng),
        id,
        format: 'google-gemini-v1',
        index,
      }));
    }
    return callers(draft).length > 0;
  },
  'thoughts: of Gemini, of a text': thinking((rng) => ({
    reasoning_details: [
      { type: 'reasoning.encrypted', data: geminiSignature(rng), format: 'google-gemini-v1', index: 0 },
    ],
  })),
  'thoughts: of an unknown family': thinking((rng) => ({
    reasoning_details: [{ type: 'reasoning.summary', summary: text(rng), format: 'acme-v9', index: 0 }],
  })),
  'thoughts: of no family': thinking((rng) => ({
    reasoning_details: [{ type: 'reasoning.text', text: text(rng) }],
  })),
  'signatures in extra_content of calls': (draft, rng) => {
    for (const call of callsOf(draft))
      call.extra_content = { google: { thought_signature: geminiSignature(rng) } };
    return callsOf(draft).length > 0;
  },
  provider_blocks: (draft, rng) =>
    change(
      rng,
      draft.messages.filter(
        ({ role, content, tool_calls }) =>
          role === 'assistant' && typeof content === 'string' && tool_calls === undefined,
      ),
      (message) => {
        const words = text(rng);
        message.content = words;
        message.provider_blocks = { format: 'anthropic-claude-v1', blocks: [{ type: 'text', text: words }] };
      },
    ),
  'an image': addToUser((rng) => image(rng, rng.pick(['png', 'jpeg', 'webp'] as const), 'image/png')),
  'an image, rightly called': addToUser((rng) => {
    const kind = rng.pick(['png', 'jpeg', 'webp'] as const);
    return image(rng, kind, `image/${kind}`);
  }),
  'JPEG that is called PNG': addToUser((rng) => image(rng, 'jpeg', 'image/png')),
  'PNG that is called image/jpg': addToUser((rng) => image(rng, 'png', 'image/jpg')),
  'a GIF': addToUser((rng) => image(rng, 'gif', 'image/gif')),
  'an image by its address': addToUser((rng) => ({ type: 'image_url', image_url: { url: imageUrl(rng) } })),
  'a PDF': addToUser((rng) => ({
    type: 'file',
    file: {
      filename: `${rng.pick(['a', 'Bericht.v2', 'a'])}.pdf`,
      file_data: `data:application/pdf;base64,${base64(rng, 'pdf')}`,
    },
  })),
  'a text file': addToUser((rng) => ({
    type: 'file',
    file: {
      filename: 'a.txt',
      file_data: `data:text/plain;base64,${Buffer.from(text(rng)).toString('base64')}`,
    },
  })),
  audio: addToUser((rng) => ({
    type: 'input_audio',
    input_audio: { format: 'wav', data: base64(rng, 'wav') },
  })),
  'audio that is called otherwise': addToUser((rng) => ({
    type: 'input_audio',
    input_audio: { format: 'wav', data: base64(rng, 'mp3') },
  })),
  'an image in a result': (draft, rng) =>
    change(
      rng,
      messagesOf(draft, 'tool'),
      (message) => void partsOf(message).push(image(rng, 'png', 'image/png')),
    ),
  'a JPEG called PNG in a result': (draft, rng) =>
    change(rng, messagesOf(draft, 'tool'), (message) => {
      message.content = [image(rng, 'jpeg', 'image/png')];
    }),
  'parts in a result': (draft, rng) =>
    change(
      rng,
      messagesOf(draft, 'tool'),
      (message) => void partsOf(message).push({ type: 'text', text: text(rng) }),
    ),
  'a refusal': thinking((rng) => ({ content: null, refusal: text(rng) })),
  'members of answers that come back': thinking((rng) => ({
    refusal: null,
    annotations: [
      {
        type: 'url_citation',
        url_citation: { url: imageUrl(rng), title: 'a', start_index: 0, end_index: 1 },
      },
    ],
    audio: null,
    function_call: null,
  })),
  'names of people': (draft, rng) =>
    change(rng, messagesOf(draft, 'user'), (message) => {
      message.name = rng.pick(['alice', 'Bob Müller']);
    }),
  'a mark on a part': (draft, rng) =>
    change(
      rng,
      draft.messages.filter(({ content }) => typeof content === 'string' && content !== ''),
      (message) => {
        Object.assign(Object(partsOf(message)[0]), { cache_control: mark(rng) });
      },
    ),
  'a mark on a message': (draft, rng) =>
    change(rng, draft.messages, (message) => {
      message.cache_control = mark(rng);
    }),
  'five marks': (draft, rng) => {
    for (const message of draft.messages.slice(0, 6)) message.cache_control = mark(rng);
    return draft.messages.length > 5;
  },
  'a mark of an hour after one of five minutes': (draft) => {
    const [first] = draft.messages;
    const last = draft.messages.at(-1);
    if (first === undefined || last === undefined || first === last) return false;
    first.cache_control = { type: 'ephemeral' };
    last.cache_control = { type: 'ephemeral', ttl: '1h' };
    return true;
  },
  'a mark with a scope': (draft, rng) =>
    change(rng, draft.messages, (message) => {
      message.cache_control = { type: 'ephemeral', scope: 'global' };
    }),
};

export function mark(rng: Rng): object {
  return { type: 'ephemeral', ...(rng.chance(0.3) && { ttl: rng.pick(['5m', '1h']) }) };
}
