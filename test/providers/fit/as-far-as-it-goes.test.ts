import { describe, expect, it } from 'vitest';
import { AdaptedMembers } from '../../../src/inference/attempts/adapted-members.js';
import { converseContract } from '../../../src/providers/amazon-bedrock/chat/contract.js';
import { claudeContract } from '../../../src/providers/anthropic/chat/contract.js';
import { geminiContract } from '../../../src/providers/google-vertex/chat/gemini/contract.js';
import { requestBody } from '../../../src/providers/openai/chat/request.js';
import { demoEndpoint } from '../../support/chat.js';
import { call, calls, contractAt, fitted, result, user } from './chat.fixture.js';

const STOPS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('files', () => {
  const file = (file_data: string) => ({ type: 'file', file: { filename: 'a.pdf', file_data } });

  it.each([
    ['data:application/pdf;base64,JVBERi0=', 'JVBERi0='],
    ['https://papers.example/a.pdf', 'https://papers.example/a.pdf'],
  ])('go to Perplexity as it takes them: %s', (file_data, url) => {
    const { body } = fitted({ messages: [user([file(file_data)])] }, contractAt('perplexity'));
    expect(body.messages[0]?.content).toEqual([{ type: 'file_url', file_url: { url }, file_name: 'a.pdf' }]);
  });
});

describe('what came with an answer, and goes back to no host of this format', () => {
  const answer = {
    role: 'assistant',
    content: 'Here.',
    images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
    provider_blocks: { format: 'anthropic-claude-v1', blocks: [] },
  };

  it('is left out and told', () => {
    const told: string[] = [];
    const call = {
      body: { model: 'm', messages: [user(), answer, user()] },
      reasoning: null,
      endpoint: demoEndpoint('m'),
      onAdapted: (name: string) => void told.push(name),
    };
    expect(requestBody(call, {}, false).messages).toEqual([
      user(),
      { role: 'assistant', content: 'Here.' },
      user(),
    ]);
    expect(told).toEqual(['messages.images', 'messages.provider_blocks']);
  });

  it('of calls and their functions too, but for the index that a stream has left', () => {
    const { function: called, ...rest } = call('a');
    // As `chat.completions.parse` of OpenAI's SDKs has it.
    const parsed = { ...called, parsed_arguments: {} };
    const one = { ...rest, function: parsed, index: 0, extra_content: { google: {} } };
    const { body, adapted } = fitted(
      { messages: [user(), { ...calls('a'), tool_calls: [one] }, result('a')] },
      contractAt('openai'),
    );
    expect(body.messages[1]?.tool_calls).toEqual([call('a')]);
    expect(adapted).toEqual([
      ['messages.tool_calls.extra_content', 'left_out'],
      ['messages.tool_calls.function.parsed_arguments', 'left_out'],
    ]);
  });
});

describe('what a host takes less of than is asked for is never refused', () => {
  it('of stop sequences the first ones are sent, and each other is told by its place', () => {
    const { body, adapted } = fitted({ stop: STOPS }, contractAt('openai'));
    expect(body.stop).toEqual(['a', 'b', 'c', 'd']);
    expect(adapted).toEqual([
      ['stop[4]', 'left_out'],
      ['stop[5]', 'left_out'],
    ]);
    expect(fitted({ stop: STOPS }, contractAt('z-ai')).body.stop).toEqual(['a']);
    expect(fitted({ stop: 'END' }, contractAt('z-ai')).body.stop).toBe('END');
  });

  it.each([
    ['groq', 'm', 3],
    ['moonshotai', 'moonshotai/kimi-k2.5', 2],
  ])('of choices as many are asked for as %s gives, and the rest is told', (slug, modelId, n) => {
    const { body, adapted } = fitted({ n }, contractAt(slug, modelId));
    expect(body).toMatchObject({ n: 1 });
    expect(adapted).toEqual([['n', 'changed']]);
    expect(fitted({ n: 1 }, contractAt(slug, modelId)).adapted).toEqual([]);
  });

  it('clients of Messages are told it as the path of their own member', () => {
    const adapted = new AdaptedMembers('messages');
    adapted.add('stop[4]', 'left_out');
    adapted.add('tools[0].function.strict', 'left_out');
    expect(adapted.leftOut).toEqual(['stop_sequences[4]', 'tools[0].function.strict']);
  });
});

describe('reasoning that is asked of a model which is known to have none', () => {
  const llama = { ...demoEndpoint('m'), upstreamModelId: 'us.meta.llama3-3-70b-instruct-v1:0' };

  it.each([
    ['Claude before 3.7', claudeContract('claude-3-5-haiku-latest')],
    ['Gemini before 2.5', geminiContract('gemini-2.0-flash')],
    ['Llama over Converse', converseContract(llama)],
  ])('is left out and told: %s', (_, contract) => {
    for (const effort of ['high', null] as const) {
      const { reasoning, adapted } = fitted({}, contract, {
        reasoning: { isEnabled: true, effort, maxTokens: null },
      });
      expect([reasoning, adapted]).toEqual([null, [['reasoning', 'left_out']]]);
    }
  });
});
