import { expect, it } from 'vitest';
import { type ChatContract, LENIENT_CHAT } from '../../src/catalog/chat-contract.js';
import type { ContractsOfAdapters } from '../../src/catalog/contracts.js';
import type { JsonObject } from '../../src/formats/json.js';
import { RequestUses } from '../../src/formats/shared-capacity/uses.js';
import { fittingContract } from '../../src/routing/plan/contract-check.js';
import { noPreferences } from '../../src/routing/plan/preferences.js';
import { endpoint, NO_CONTRACTS, provider } from './contexts.js';

function judge(chat: JsonObject, contract: Partial<ChatContract>, requireParameters = false) {
  const asked: string[] = [];
  const contracts: ContractsOfAdapters = {
    ...NO_CONTRACTS,
    openai: {
      messages: null,
      responses: null,
      completions: null,
      embeddings: null,
      rerank: null,
      chat: ({ id }) => {
        asked.push(id);
        return { ...LENIENT_CHAT, ...contract };
      },
    },
  };
  const found = fittingContract(
    { endpoint: endpoint('p'), provider: provider('p') },
    {
      native: null,
      uses: new RequestUses(chat),
      contracts,
      preferences: { ...noPreferences, requireParameters },
    },
  );
  return { asked, fields: found?.violations?.map(({ field }) => field), detail: found?.detail };
}

const said = (...content: readonly object[]) => ({ messages: [{ role: 'user', content }] });
const text = { type: 'text', text: 'Hi' };
const png = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==' } };
const sound = { type: 'input_audio', input_audio: { format: 'wav', data: 'UklGRg==' } };
const file = (type: string) => ({
  type: 'file',
  file: { filename: 'a', file_data: `data:${type};base64,aGVsbG8=` },
});

it('words alone ask no contract: every host takes them', () => {
  expect(judge(said(text), { userParts: [] }).asked).toEqual([]);
  expect(judge({ messages: [{ role: 'user', content: 'Hi' }] }, { parts: [] }).asked).toEqual([]);
});

it('each kind of part that the host can’t take is named once, by the first of its kind', () => {
  const { fields, detail } = judge(said(text, png, png, sound), { userParts: ['text'] });
  expect(fields).toEqual(['messages[0].content[1]', 'messages[0].content[3]']);
  expect(detail).toContain('P takes no part of type input_audio, but text.');
});

it.each<[string, JsonObject, Partial<ChatContract>]>([
  ['an image whose bytes it can read', said(png), { images: ['image/png'] }],
  ['a file of text, which is said in words', said(file('text/plain')), { userParts: ['text'], parts: [] }],
  ['a file that becomes a document', said(file('application/pdf')), { userParts: ['text', 'document_url'] }],
  [
    'an image in a result, which goes to the user',
    { messages: [{ role: 'tool', content: [png] }] },
    { parts: ['user'] },
  ],
  [
    'more stop sequences than it knows',
    { ...said(png), stop: ['a', 'b'], n: 3 },
    { maxStops: 1, maxChoices: 1 },
  ],
])('a host is sent %s', (_, chat, contract) => {
  expect(judge(chat, contract).fields).toBeUndefined();
});

it.each<[string, JsonObject, Partial<ChatContract>, string]>([
  ['an image whose bytes it can’t read', said(png), { images: ['image/jpeg'] }, 'messages[0].content[0]'],
  ['media where it takes texts alone', said(png), { parts: [] }, 'messages[0].content[0]'],
  ['more tools than it takes', { tools: [{}, {}, {}] }, { maxTools: 2 }, 'tools'],
])('a host is not sent %s', (_, chat, contract, field) => {
  expect(judge(chat, contract).fields).toEqual([field]);
});

it('parameters that are required exclude a host that has less of them', () => {
  const chat = { stop: ['a', 'b'], n: 3, seed: 1, temperature: 0.5, user: 'me' };
  const contract = { maxStops: 1, maxChoices: 1, refusedMembers: ['seed', 'user'] };
  expect(judge(chat, contract, true).fields).toEqual(['seed', 'stop', 'n']);
  expect(judge(chat, contract).asked).toEqual([]);
});

it('what a request uses is found once, however many endpoints are asked', () => {
  const uses = new RequestUses(said(png));
  expect(uses.sentAs('chat')).toBe(uses.sentAs('chat'));
});
