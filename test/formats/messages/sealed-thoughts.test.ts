import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INFERENCE_LIMITS } from '../../../src/base/json/bounded/structure.js';
import { runToEnd } from '../../../src/base/time-slices.js';
import { EMPTY_MARK, isMark, MAX_MARK_CHARACTERS, markOf } from '../../../src/formats/marks.js';
import { withoutOwn } from '../../../src/formats/messages/native.js';
import { readMessages } from '../../../src/formats/messages/reader.js';
import { hasForgotten, messagesAnswer } from '../../../src/formats/messages/writing/answer.js';
import { openThoughts } from '../../../src/formats/reading/sealed-thoughts.js';
import { estimatePromptTokens } from '../../../src/routing/estimate/prompt-tokens.js';
import { RULES, wholeAnswer } from './answer.fixture.js';
import { SIGNER, signerOf } from './signer.fixture.js';

const DETAIL = { type: 'reasoning.encrypted', data: 'sig', format: 'google-gemini-v1', index: 0 };
const MARK = String(markOf([DETAIL], SIGNER));
const text = { type: 'text', text: 'Hi' };
const redacted = (data: string) => ({ type: 'redacted_thinking', data });
const thinking = (signature: string, words = 'Hm.') => ({ type: 'thinking', thinking: words, signature });

function bodyOf(...contents: readonly object[][]) {
  return { model: 'm', messages: contents.map((content) => ({ role: 'assistant', content })) };
}

function read(...content: readonly object[]) {
  return readMessages(bodyOf([...content]));
}

function opened(...content: readonly object[]) {
  const { chat, sealed } = read(...content);
  return runToEnd(openThoughts(chat, sealed, SIGNER));
}

/** Changes the character at a place to another one that base64url has. */
function damagedAt(mark: string, at: number): string {
  return `${mark.slice(0, at)}${mark[at] === 'A' ? 'B' : 'A'}${mark.slice(at + 1)}`;
}

const UNSIGNED = `bw1.${Buffer.from(JSON.stringify([DETAIL])).toString('base64url')}`;
const [, tag = '', payload = ''] = MARK.split('.');

const DROPPED: Readonly<Record<string, string>> = {
  'of another account': String(markOf([DETAIL], signerOf('b'))),
  'of the version that did not sign': UNSIGNED,
  'without a signature': `bw2.${payload}`,
  'with an empty signature': `bw2..${payload}`,
  'with half a signature': `bw2.${tag.slice(0, 10)}.${payload}`,
  'with a longer signature': `bw2.${tag}AAAA.${payload}`,
  'with another payload': `bw2.${tag}.${Buffer.from('[]').toString('base64url')}`,
  'with more behind it': `${MARK}A`,
  'with nothing in it': EMPTY_MARK,
  'that is no base64': 'bw2.%%%.%%%',
  'that is longer than any that is made': `bw2.${tag}.${'A'.repeat(MAX_MARK_CHARACTERS)}`,
};

describe('a mark', () => {
  it('is read for the account that it was made for', () => {
    expect(opened(redacted(MARK), text)).toEqual({
      chat: {
        model: 'm',
        messages: [{ role: 'assistant', content: 'Hi', reasoning_details: [DETAIL] }],
      },
      omitted: [],
    });
  });

  it.each(Object.entries(DROPPED))('%s is dropped, and named', (_, mark) => {
    for (const thought of [redacted(mark), thinking(mark, '')]) {
      expect(opened(thought, text)).toEqual({
        chat: { model: 'm', messages: [{ role: 'assistant', content: 'Hi' }] },
        omitted: ['reasoning'],
      });
    }
  });

  it.each(Object.entries(DROPPED))('%s is no reason to refuse, and goes to no provider', (_, mark) => {
    expect(read(redacted(mark), text).violations).toEqual([]);
    const sent = JSON.stringify(withoutOwn(bodyOf([redacted(mark), text], [thinking(mark)])));
    expect(sent).not.toContain('bw');
  });

  it('that is dropped leaves the words that the client was shown, and what others carry', () => {
    expect(opened(thinking(UNSIGNED), redacted(MARK), text).chat.messages).toEqual([
      { role: 'assistant', content: 'Hi', reasoning: 'Hm.', reasoning_details: [DETAIL] },
    ]);
  });

  it('is dropped where there is nothing to check it with', () => {
    const { chat, sealed } = read(redacted(MARK), text);
    expect(runToEnd(openThoughts(chat, sealed, undefined)).omitted).toEqual(['reasoning']);
  });

  it('excludes no endpoint for its size, since it may be dropped, and is reserved for', () => {
    const { chat } = read(redacted(`bw2.${'A'.repeat(200_000)}`), text);
    const { low, high } = estimatePromptTokens(chat);
    expect(low).toBeLessThan(10);
    expect(high).toBeGreaterThan(200_000);
  });

  it('stays closed until it is opened', () => {
    const { chat } = read(redacted(MARK), thinking(MARK, ''), text);
    expect(chat.messages[0]?.reasoning_details).toEqual([
      { type: 'reasoning.sealed', mark: MARK },
      { type: 'reasoning.sealed', mark: MARK },
    ]);
  });

  it('changed at any place is dropped, whichever place it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: MARK.length - 1 }), (at) => {
        const { chat, omitted } = opened(redacted(damagedAt(MARK, at)), text);
        // The last character of a signature has bits that mean nothing.
        if (omitted.length === 0) expect(at).toBe(MARK.lastIndexOf('.') - 1);
        else expect(JSON.stringify(chat)).not.toContain('reasoning');
      }),
    );
  });
});

describe('what marks carry', () => {
  const crowd = String(
    markOf(
      Array.from({ length: 40_000 }, () => ({})),
      SIGNER,
    ),
  );

  it('counts into the budget of the request, however often a mark is sent', () => {
    expect(opened(redacted(crowd), text).omitted).toEqual([]);
    expect(opened(redacted(crowd), redacted(crowd), text)).toMatchObject({ omitted: ['reasoning'] });
  });

  it('counts together with what else the request has', () => {
    const { containers } = INFERENCE_LIMITS;
    const closed = read(redacted(crowd), text);
    const crowded = { ...closed.chat, zzz: Array.from({ length: containers / 2 }, () => ({})) };
    expect(runToEnd(openThoughts(crowded, closed.sealed, SIGNER)).omitted).toEqual(['reasoning']);
  });

  it('is dropped where it is nested too deeply', () => {
    let deep: object = {};
    for (let level = 0; level < 100; level += 1) deep = { deep };
    expect(opened(redacted(String(markOf([{ deep }], SIGNER))), text).omitted).toEqual(['reasoning']);
  });
});

describe('thoughts that are too long for a mark', () => {
  const long = { ...DETAIL, data: 's'.repeat(MAX_MARK_CHARACTERS) };
  const answered = (details: readonly object[], rules = RULES) => {
    const { choices, ...answer } = wholeAnswer({
      reasoning: 'Hm.',
      content: 'Hi',
      reasoning_details: [...details] as never,
    });
    const content = messagesAnswer({ choices, ...answer }, 'm', rules).content;
    return { content, isForgotten: hasForgotten(choices[0]?.message, rules) };
  };

  it('are not carried, which is known before the answer is written', () => {
    const { content, isForgotten } = answered([long]);
    expect(isForgotten).toBe(true);
    expect(content[0]).toEqual({ type: 'thinking', thinking: 'Hm.', signature: EMPTY_MARK });
  });

  it('are those whose mark would exceed 256 KiB, to the byte', () => {
    const room = Math.floor(((MAX_MARK_CHARACTERS - MARK.length + payload.length) * 3) / 4);
    const rest = room - JSON.stringify([{ ...DETAIL, data: '' }]).length;
    const fits = { ...DETAIL, data: 's'.repeat(rest) };
    const { content, isForgotten } = answered([fits]);
    expect(isForgotten).toBe(false);
    expect(String(content[0]?.signature).length).toBeGreaterThan(MAX_MARK_CHARACTERS - 4);
    expect(answered([{ ...fits, data: `${fits.data}s` }]).isForgotten).toBe(true);
  });

  it('are counted over many pieces', () => {
    const pieces = Array.from({ length: 1_000 }, (_, index) => ({ ...DETAIL, index, data: 's'.repeat(300) }));
    expect(answered(pieces).isForgotten).toBe(true);
  });

  it('count with the words that are hidden', () => {
    const { choices } = wholeAnswer({ reasoning: 'a'.repeat(MAX_MARK_CHARACTERS), content: 'Hi' });
    expect(hasForgotten(choices[0]?.message, RULES)).toBe(false);
    expect(hasForgotten(choices[0]?.message, { ...RULES, showsThoughts: false })).toBe(true);
  });

  it('have a mark that is known as the gateway’s own', () => {
    expect(isMark(EMPTY_MARK)).toBe(true);
  });
});

describe('names of what is left out', () => {
  it('are few and short, however many and long the request’s own are', () => {
    const members = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`${index}${'x'.repeat(1_000)}`, 1]),
    );
    const tools = Array.from({ length: 1_000 }, (_, index) => ({ type: `${index}${'x'.repeat(1_000)}` }));
    const { omitted, nativeOnly } = readMessages({ ...members, messages: [], tools });
    expect([omitted.length, nativeOnly.length]).toEqual([100, 100]);
    expect(Math.max(...[...omitted, ...nativeOnly].map(({ length }) => length))).toBe(128);
  });
});
