import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/time-slices.js';
import { MAX_MARK_CHARACTERS, markOf } from '../../../src/formats/marks.js';
import { openThoughts } from '../../../src/formats/reading/sealed-thoughts.js';
import { withoutOwn } from '../../../src/formats/responses/native.js';
import { SIGNER, signerOf } from '../messages/signer.fixture.js';
import { called, read, said, user } from './reader.fixture.js';

const DETAIL = { type: 'reasoning.encrypted', data: 'sig', format: 'google-gemini-v1', index: 0 };
const HIDDEN = { type: 'reasoning.text', text: 'Hidden.', format: 'unknown' };

function reasoning(encrypted_content: string | null, ...texts: string[]) {
  return {
    type: 'reasoning',
    id: 'rs_1',
    summary: texts.map((text) => ({ type: 'summary_text', text })),
    content: null,
    encrypted_content,
  };
}

function opened(...input: object[]) {
  const { chat, sealed } = read({ input });
  return runToEnd(openThoughts(chat, sealed, SIGNER));
}

const MARK = String(markOf([DETAIL], SIGNER));

describe('reasoning items', () => {
  it('with a mark give the model back what is in it, once the request is admitted', () => {
    const input = [user('U'), reasoning(MARK, 'Hm.'), said('A')];
    expect(opened(...input)).toEqual({
      chat: {
        model: 'm',
        messages: [
          { role: 'user', content: 'U' },
          { role: 'assistant', content: 'A', reasoning: 'Hm.', reasoning_details: [DETAIL] },
        ],
      },
      omitted: [],
    });
    expect(JSON.stringify(read({ input }).chat)).not.toContain('"sig"');
  });

  it('whose text the client was not shown have it in the mark', () => {
    const { chat } = opened(reasoning(String(markOf([HIDDEN, DETAIL], SIGNER))), said('A'));
    expect(chat.messages).toEqual([
      { role: 'assistant', content: 'A', reasoning: 'Hidden.', reasoning_details: [DETAIL] },
    ]);
  });

  it.each([
    ['of another account', String(markOf([DETAIL], signerOf('b')))],
    ['of the version that did not sign', 'bw1.W10'],
    ['that was damaged', `${MARK}A`],
    ['that is too long', `bw2.${'A'.repeat(MAX_MARK_CHARACTERS)}`],
  ])('with a mark %s are dropped and named, and never refused', (_, mark) => {
    expect(opened(reasoning(mark, 'Hm.'), said('A'))).toEqual({
      chat: { model: 'm', messages: [{ role: 'assistant', content: 'A', reasoning: 'Hm.' }] },
      omitted: ['reasoning'],
    });
  });

  it('of OpenAI’s own models are carried as they are, each where it stood', () => {
    const { chat, sealed } = read({
      input: [reasoning('gAAAA1', 'One.', 'Two.'), called('1'), reasoning('gAAAA2'), called('2')],
    });
    const format = 'openai-responses-v1';
    expect(sealed.size).toBe(0);
    expect(chat.messages[0]).toMatchObject({
      reasoning: 'One.\n\nTwo.',
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'One.', format, index: 0 },
        { type: 'reasoning.summary', summary: 'Two.', format, index: 0 },
        { type: 'reasoning.encrypted', data: 'gAAAA1', id: 'rs_1', format, index: 0 },
        { type: 'reasoning.encrypted', data: 'gAAAA2', id: 'thought_1_0_1_rs_1', format, index: 1 },
      ],
    });
  });

  it('of open models are read by their text', () => {
    const item = { ...reasoning(null), content: [{ type: 'reasoning_text', text: 'Raw.' }] };
    expect(read({ input: [item, said('A')] }).chat.messages).toEqual([
      { role: 'assistant', content: 'A', reasoning: 'Raw.' },
    ]);
  });

  it('that led to nothing are left out', () => {
    expect(read({ input: [user('U'), reasoning('gAAAA1'), user('V')] }).chat.messages).toHaveLength(2);
  });
});

describe('what an endpoint that speaks Responses gets', () => {
  it('has neither the gateway’s own members nor marks, and stores nothing', () => {
    const body = { model: 'm', instructions: 'I', future: { a: 1 } };
    const kept = [user('U'), reasoning('gAAAA1', 'Hm.'), said('A')];
    const own = { provider: { zdr: true }, models: ['n'], route: 'fallback' };
    expect(
      withoutOwn({ ...body, ...own, store: null, input: [...kept, reasoning(MARK), reasoning('bw1.x')] }),
    ).toEqual({
      ...body,
      store: false,
      input: kept,
    });
  });

  it('has its input as it came where there are no marks', () => {
    const input = [user('U')];
    expect(withoutOwn({ input }).input).toBe(input);
    expect(withoutOwn({ input: 'Hi' })).toEqual({ input: 'Hi', store: false });
  });
});
