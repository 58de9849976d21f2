import { describe, expect, it } from 'vitest';
import { call, fittedResponses, output, tool, user } from './responses.fixture.js';

const LONG = 'x'.repeat(70);

describe('members', () => {
  it.each<[string, string, object, object, readonly string[]]>([
    [
      'temperature of a model that reasons',
      'gpt-5',
      { temperature: 0.2, top_p: 0.9 },
      {},
      ['temperature', 'top_p'],
    ],
    ['temperature where nothing is reasoned', 'gpt-5.1', { temperature: 0.2 }, { temperature: 0.2 }, []],
    [
      'temperature where it is',
      'gpt-5.1',
      { temperature: 0.2, reasoning: { effort: 'low' } },
      { reasoning: { effort: 'low' } },
      ['temperature'],
    ],
    [
      'an effort that the model has not',
      'gpt-5',
      { reasoning: { effort: 'xhigh' } },
      { reasoning: { effort: 'high' } },
      ['reasoning.effort'],
    ],
    [
      'none of a model that always reasons',
      'o4-mini',
      { reasoning: { effort: 'none' } },
      { reasoning: { effort: 'low' } },
      ['reasoning.effort'],
    ],
    [
      'the reasoning of a model without',
      'gpt-4.1',
      { reasoning: { effort: 'low', summary: 'auto' } },
      {},
      ['reasoning'],
    ],
    [
      'encrypted reasoning of a model without',
      'gpt-4.1',
      { include: ['reasoning.encrypted_content'] },
      {},
      [],
    ],
    [
      'encrypted reasoning beside other words',
      'gpt-5-chat-latest',
      { include: ['reasoning.encrypted_content', 'web_search_call.results'] },
      { include: ['web_search_call.results'] },
      [],
    ],
    ['verbosity', 'gpt-4.1', { text: { verbosity: 'low' } }, { text: {} }, ['text.verbosity']],
    ['usage of streams', 'gpt-4.1', { stream_options: { include_usage: true } }, {}, []],
    [
      'a choice among no tools',
      'gpt-4.1',
      { tools: [], tool_choice: 'auto', parallel_tool_calls: true },
      {},
      [],
    ],
    ['a forced choice among no tools', 'gpt-4.1', { tool_choice: 'required' }, {}, ['tool_choice']],
    ['parallel calls of the o series', 'o4-mini', { parallel_tool_calls: true }, {}, ['parallel_tool_calls']],
    ['few tokens', 'gpt-4.1', { max_output_tokens: 1 }, { max_output_tokens: 1 }, []],
    ['what nobody knows', 'gpt-4.1', { brand_new: { a: 1 } }, { brand_new: { a: 1 } }, []],
  ])('%s', (_, model, members, expected, told) => {
    const { body, adapted } = fittedResponses({ ...members }, { model });
    const { input, ...sent } = body;
    expect(sent).toEqual(expected);
    expect(adapted.map(([name]) => name)).toEqual(told);
  });

  it('keys that are too long are hashed, each to its own', () => {
    const key = (text: string) => String(fittedResponses({ prompt_cache_key: text }).body.prompt_cache_key);
    expect(key(LONG)).toHaveLength(43);
    expect(key(LONG)).not.toBe(key(`${LONG}1`));
    expect(key('short')).toBe('short');
  });

  it('what Codex notes of items goes to OpenAI alone', () => {
    const noted = [
      { ...user('Hi'), internal_chat_message_metadata_passthrough: { turn_id: 't' } },
      { ...user('More'), metadata: { turn_id: 't' } },
    ];
    expect(fittedResponses({ input: noted }).input).toEqual(noted);
    for (const at of ['azure', 'xai', 'groq', 'my-vllm']) {
      const { input, adapted } = fittedResponses({ input: noted }, { at });
      expect([at, input, adapted]).toEqual([at, [user('Hi'), user('More')], []]);
    }
  });

  it('what Codex tells of its session goes to OpenAI alone', () => {
    const members = { client_metadata: { thread: '1' } };
    expect(fittedResponses(members).body.client_metadata).toEqual({ thread: '1' });
    for (const at of ['azure', 'xai', 'groq', 'my-vllm'])
      expect([at, fittedResponses(members, { at }).body.client_metadata]).toEqual([at, undefined]);
  });
});

describe('tools', () => {
  it('have schemas and names that the host takes, and are called by their own in answers', () => {
    const { body, names } = fittedResponses({
      tools: [
        { type: 'web_search' },
        tool('files.read', { parameters: { anyOf: [{ type: 'object', properties: { a: {} } }] } }),
        { type: 'custom', name: 'apply patch' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'files.read' }] },
      input: [call('c', { name: 'files.read' }), output('c')],
    });
    expect(body).toMatchObject({
      tools: [
        { type: 'web_search' },
        { name: 'files_read', parameters: { type: 'object' } },
        { name: 'apply_patch' },
      ],
      tool_choice: { tools: [{ name: 'files_read' }] },
      input: [{ name: 'files_read' }, {}],
    });
    expect([...names]).toEqual([
      ['files_read', 'files.read'],
      ['apply_patch', 'apply patch'],
    ]);
  });

  it('without parameters stay as they are, and so do names in namespaces', () => {
    const tools = [
      { type: 'function', name: 'now', parameters: null, strict: null },
      { type: 'namespace', name: 'a.b', description: 'A', tools: [tool('c.d')] },
    ];
    expect(fittedResponses({ tools }).body.tools).toEqual(tools);
  });

  it('in namespaces, and those that items bring, have schemas that the host takes as well', () => {
    const union = tool('draft', { parameters: { anyOf: [{ type: 'object', properties: { raw: {} } }] } });
    const mail = { type: 'namespace', name: 'mail', description: 'Mail', tools: [tool(), union] };
    const more = { type: 'additional_tools', role: 'developer', tools: [union, mail] };
    const { body, adapted } = fittedResponses({ tools: [tool(), mail], input: [more, user('Hi')] });
    const widened = expect.objectContaining({
      name: 'draft',
      parameters: { type: 'object', properties: { raw: {} } },
    });
    const fitted = { ...mail, tools: [tool(), widened] };
    expect(body.tools).toEqual([tool(), fitted]);
    expect(body.input).toEqual([{ ...more, tools: [widened, fitted] }, user('Hi')]);
    expect(adapted.map(([path]) => path)).toEqual([
      'tools[1].tools[1].parameters',
      'input[0].tools[1].tools[1].parameters',
      'input[0].tools[0].parameters',
    ]);
  });

  it.each([undefined, null, '', ' '])('a namespace described by %j is described', (description) => {
    const namespace = { type: 'namespace', name: 'functions', description, tools: [tool()] };
    const more = { type: 'additional_tools', role: 'developer', tools: [namespace] };
    const described = { ...namespace, description: 'Tools of functions.' };
    const { body, adapted } = fittedResponses({ tools: [namespace], input: [more, user('Hi')] });
    expect(body.tools).toEqual([described]);
    expect(body.input).toEqual([{ ...more, tools: [described] }, user('Hi')]);
    expect(adapted).toEqual([
      ['tools[0].description', 'changed'],
      ['input[0].tools[0].description', 'changed'],
    ]);
  });

  it('a choice of one that is not there is left to the model', () => {
    const { body, adapted } = fittedResponses({
      tools: [tool()],
      tool_choice: { type: 'function', name: 'gone' },
    });
    expect(body.tool_choice).toBe('auto');
    expect(adapted).toEqual([['tool_choice', 'changed']]);
  });

  it('and items that a host does not have are left out, or said otherwise', () => {
    const { body, input, adapted } = fittedResponses(
      {
        tools: [
          tool(),
          { type: 'namespace', name: 'agents', tools: [tool('spawn')] },
          { type: 'custom', name: 'patch' },
        ],
        input: [
          { type: 'additional_tools', role: 'developer', tools: [tool('more')] },
          { type: 'agent_message', content: 'Done' },
          { type: 'compaction', encrypted_content: `gAAAA${'Q'.repeat(200)}` },
          user('Hi'),
        ],
      },
      { at: 'xai', model: 'grok-4' },
    );
    expect(body.tools).toEqual([tool(), tool('more')]);
    expect(input).toEqual([user('Done'), user('Hi')]);
    expect(adapted).toEqual([
      ['input[1]', 'changed'],
      ['input[2]', 'left_out'],
      ['tools[1]', 'left_out'],
      ['tools[2]', 'left_out'],
    ]);
  });
});
