import { describe, expect, it } from 'vitest';
import { members } from '../../../src/formats/json.js';
import { contractAt, fitted } from './chat.fixture.js';

const LONG = 'Does one thing after another. '.repeat(100);

/** What OpenAI takes of a description: https://github.com/getsentry/sentry-mcp/issues/106 (2025-04). */
const MOST = 1024;

const described = (description: string, parameters?: object) => ({
  type: 'function',
  function: { name: 'look', description, ...(parameters && { parameters }) },
});

describe('descriptions of tools', () => {
  it.each(['openai', 'azure'])('that are longer than %s takes go on in those of the arguments', (slug) => {
    const properties = { path: { type: 'string' } };
    const parameters = { type: 'object', properties, description: 'Where to look' };
    const tools = [described('Short', parameters), described(LONG, parameters), described(LONG)];
    const { body, adapted } = fitted({ tools }, contractAt(slug));
    expect(body.tools?.[0]).toEqual(tools[0]);
    for (const tool of body.tools?.slice(1) ?? []) {
      const { description, parameters: sent } = members(tool.function) as Record<string, string>;
      expect(description?.length).toBeLessThanOrEqual(MOST);
      expect(sent).toMatchObject({ type: 'object' });
      const words = `${description}${members(sent).description}`;
      expect(words.replace('\n[This goes on in the description of the arguments.]', '')).toContain(LONG);
    }
    expect(body.tools?.[1]?.function?.parameters).toMatchObject({
      properties,
      description: expect.stringContaining('Where to look'),
    });
    expect(adapted).toEqual([
      ['tools[1].function.description', 'changed'],
      ['tools[2].function.description', 'changed'],
    ]);
  });

  it('are cut between characters, and hold what a schema could not say', () => {
    const emoji = fitted({ tools: [described('👋🏽'.repeat(600))] }, { maxToolDescription: 101 });
    const { description } = members(emoji.body.tools?.[0]?.function);
    expect(String(description).isWellFormed()).toBe(true);
    const names = Array.from({ length: 80 }, (_, at) => [`member_number_${at}`, { type: 'string' }]);
    const union = { anyOf: [{ type: 'object', properties: Object.fromEntries(names) }, { type: 'object' }] };
    const { body } = fitted({ tools: [described('Looks', union)] }, contractAt('openai'));
    const sent = members(body.tools?.[0]?.function);
    expect(String(sent.description).length).toBeLessThanOrEqual(MOST);
    expect(String(members(sent.parameters).description)).toContain('member_number_79');
  });
});
