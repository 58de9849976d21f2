import { describe, expect, it } from 'vitest';
import { detailsJsonIn, MAX_MARK_CHARACTERS } from '../../../src/formats/marks.js';
import { unplacedIn } from '../../../src/formats/responses/writing/answer.js';
import { reasoningPartOf } from '../../../src/formats/responses/writing/reasoning-part.js';
import { type Said, wholeAnswer } from '../messages/answer.fixture.js';
import { SIGNER } from '../messages/signer.fixture.js';
import { answered, RULES } from './writing.fixture.js';

const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } };

function outputOf(said: Said, rules = RULES) {
  return answered(said, rules).output;
}

function carried(item: unknown): unknown {
  const { encrypted_content } = item as { readonly encrypted_content: string };
  return JSON.parse(detailsJsonIn(encrypted_content, SIGNER) ?? '');
}

describe('reasoning', () => {
  it('is told as text, and carried with its text', () => {
    const [reasoning, message] = outputOf({ content: 'Hi', reasoning: 'Hm' });
    expect(message).toMatchObject({ type: 'message' });
    expect(reasoning).toMatchObject({ summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] });
    expect(carried(reasoning)).toEqual([{ type: 'reasoning.text', text: 'Hm', format: 'unknown' }]);
  });

  it.each([
    ['anthropic/claude-sonnet-4.5', 'summary_text'],
    ['google/gemini-3-pro', 'summary_text'],
    ['openai/gpt-5', 'summary_text'],
    ['openai/gpt-oss-120b', 'reasoning_text'],
    ['google/gemma-3', 'reasoning_text'],
    ['deepseek/deepseek-r1', 'reasoning_text'],
  ])('of %s is %s', (model, part) => {
    expect(reasoningPartOf(model)).toBe(part);
  });

  it('is a summary where the model shows no more', () => {
    const rules = { ...RULES, reasoningPart: 'summary_text' as const };
    const [reasoning] = outputOf({ content: 'Hi', reasoning: 'Hm' }, rules);
    expect(reasoning).toMatchObject({ summary: [{ type: 'summary_text', text: 'Hm' }] });
    expect(reasoning).not.toHaveProperty('content');
  });

  it('of one turn has a part for each thought, and all signatures', () => {
    const detail = (index: number) => ({
      ...{ type: 'reasoning.text', text: `T${index}`, signature: `s${index}` },
      ...{ format: 'anthropic-claude-v1', index },
    });
    const said = { content: 'Hi', reasoning: 'T0T1', reasoning_details: [detail(0), detail(1)] };
    const [reasoning] = outputOf(said);
    expect(reasoning).toMatchObject({ content: [{ text: 'T0' }, { text: 'T1' }] });
    expect(carried(reasoning)).toEqual([detail(0), detail(1)]);
  });

  it('that belongs to a call stands before it', () => {
    const signature = {
      type: 'reasoning.encrypted',
      data: 's',
      id: 'call_1',
      format: 'google-gemini-v1',
      index: 0,
    };
    const output = outputOf({ content: 'So', tool_calls: [CALL], reasoning_details: [signature] });
    expect(output.map(({ type }) => type)).toEqual(['message', 'reasoning', 'function_call']);
    expect(carried(output[1])).toEqual([signature]);
  });

  it('is neither told nor carried unless it was asked for', () => {
    const said = {
      content: 'Hi',
      reasoning: 'Hm',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 's', format: 'google-gemini-v1' }],
    };
    const hidden = { ...RULES, showsReasoning: false };
    const [carriedOnly] = outputOf(said, hidden);
    expect(carriedOnly).toMatchObject({ type: 'reasoning', summary: [] });
    expect(carriedOnly).not.toHaveProperty('content');
    expect(carried(carriedOnly)).toHaveLength(2);
    const [shownOnly] = outputOf(said, { ...RULES, carriesReasoning: false });
    expect(shownOnly).toMatchObject({ content: [{ text: 'Hm' }] });
    expect(shownOnly).not.toHaveProperty('encrypted_content');
    expect(outputOf(said, { ...hidden, carriesReasoning: false }).map(({ type }) => type)).toEqual([
      'message',
    ]);
  });

  it('that no mark can carry is named', () => {
    const [choice] = wholeAnswer({ reasoning: 'x'.repeat(MAX_MARK_CHARACTERS) }).choices;
    expect(unplacedIn(choice, 'gen-1', RULES)).toEqual(['reasoning']);
    expect(unplacedIn(choice, 'gen-1', { ...RULES, signer: undefined })).toEqual(['reasoning']);
    expect(unplacedIn(choice, 'gen-1', { ...RULES, carriesReasoning: false })).toEqual([]);
  });
});
