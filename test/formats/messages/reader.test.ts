import { describe, expect, it } from 'vitest';
import { BODY, chatOf, MARK, read } from './reader.fixture.js';

describe('members of a request', () => {
  it('have the same meaning in a chat, and leave nothing out', () => {
    expect(read()).toMatchObject({
      chat: { model: 'm', max_tokens: 1000, messages: [{ role: 'user', content: 'Hello' }] },
      omitted: [],
      nativeOnly: [],
      violations: [],
    });
    const same = {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      stream: true,
      models: ['n'],
      provider: { zdr: true },
    };
    expect(chatOf({ ...same, ...MARK })).toMatchObject({ ...same, ...MARK });
  });

  it.each([
    ['stop_sequences', { stop_sequences: ['END'] }, { stop: ['END'] }],
    ['the tier', { service_tier: 'standard_only' }, { service_tier: 'default' }],
    ['a tier that leaves it open', { service_tier: 'auto' }, {}],
    ['speed', { speed: 'fast' }, { service_tier: 'priority' }],
    ['a short user', { metadata: { user_id: 'u1' } }, { user: 'u1' }],
    ['thinking switched off', { thinking: { type: 'disabled' } }, { reasoning: { enabled: false } }],
    [
      'thinking with a budget',
      { thinking: { type: 'enabled', budget_tokens: 2000 }, output_config: { effort: 'low' } },
      { reasoning: { max_tokens: 2000 } },
    ],
    ['adaptive thinking', { thinking: { type: 'adaptive' } }, { reasoning: { enabled: true } }],
    ['thinking between tools', { thinking: { type: 'between_tools' } }, { reasoning: { enabled: true } }],
    [
      'adaptive thinking with an effort',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
      { reasoning: { effort: 'xhigh' } },
    ],
    ['an effort alone', { output_config: { effort: 'max' } }, { reasoning: { effort: 'max' } }],
  ])('%s', (_, more, expected) => {
    const { model, max_tokens, messages, ...rest } = chatOf(more);
    expect(rest).toEqual(expected);
  });

  it('name a long user by its hash, the same every time', () => {
    const metadata = { user_id: JSON.stringify({ device_id: 'd'.repeat(64), session_id: 's' }) };
    const { user } = chatOf({ metadata });
    expect(user).toMatch(/^[0-9a-f]{64}$/);
    expect(chatOf({ metadata }).user).toBe(user);
    expect(chatOf({ metadata: { user_id: `${metadata.user_id} ` } }).user).not.toBe(user);
  });

  it.each(['output_config', 'output_format'])('ask for an answer in a schema by %s', (name) => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const closed = { ...schema, additionalProperties: false };
    const asked = (format: object) => chatOf({ [name]: name === 'output_config' ? { format } : format });
    const expected = (json_schema: object) => ({ response_format: { type: 'json_schema', json_schema } });
    expect(asked({ type: 'json_schema', schema: closed })).toMatchObject(
      expected({ name: 'answer', schema: closed, strict: true }),
    );
    expect(asked({ type: 'json_schema', schema })).toMatchObject(
      expected({ name: 'answer', schema, strict: false }),
    );
  });

  it('that a chat can’t have are left out, and named', () => {
    const { chat, omitted, nativeOnly } = read({
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      diagnostics: {},
      future_member: 1,
      thread: { id: 't' },
      betas: [],
      output_config: { effort: 'low', task_budget: {} },
    });
    expect(omitted).toEqual([
      'context_management',
      'diagnostics',
      'future_member',
      'thread',
      'output_config.task_budget',
    ]);
    expect(nativeOnly).toEqual([]);
    expect(Object.keys(chat)).toEqual(['model', 'max_tokens', 'messages', 'reasoning']);
  });

  it('without which the answer would be another one are demands', () => {
    const { nativeOnly, omitted } = read({
      mcp_servers: [{ type: 'url', url: 'https://mcp', name: 'm' }],
      container: 'c',
      inference_geo: 'eu',
      tools: [
        { type: 'web_search_20260318', name: 'web_search' },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'web_search_20260318', name: 'again' },
      ],
    });
    expect(nativeOnly).toEqual([
      'web_search_20260318',
      'bash_20250124',
      'mcp_servers',
      'container',
      'inference_geo',
    ]);
    expect(omitted).toEqual([]);
    expect(read({ inference_geo: 'global', mcp_servers: [], container: null }).nativeOnly).toEqual([]);
  });

  it('that are wrong are named with their rules, all at once', () => {
    const { violations } = read({
      thinking: { type: 'enabled', budget_tokens: 'many' },
      system: 3,
      tools: [{ input_schema: {} }],
      messages: [
        { role: 'tool', content: 'x' },
        { role: 'user', content: 7 },
        { role: 'user', content: ['x', { type: 'image', source: { type: 'base64' } }] },
        { role: 'assistant', content: [{ type: 'tool_use', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', content: 'x' }] },
      ],
    });
    expect(violations.map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'messages[0].role enum',
      'messages[1].content type',
      'messages[2].content[0] type',
      'system type',
      'messages[2].content[1].source type',
      'messages[3].content[0].id required',
      'messages[3].content[0].name required',
      'messages[4].content[0].tool_use_id required',
      'tools[0].name required',
      'thinking.budget_tokens integer',
    ]);
  });

  it('that are wrong a thousand times are named a hundred times', () => {
    expect(read({ messages: Array.from({ length: 1000 }, () => 1) }).violations).toHaveLength(100);
  });
});

describe('the system prompt', () => {
  it('is the first message, with its marks', () => {
    const system = [
      { type: 'text', text: 'Be short.' },
      { type: 'text', text: 'In verse.', ...MARK },
    ];
    expect(chatOf({ system }).messages[0]).toEqual({ role: 'system', content: system });
    expect(chatOf({ system: 'Be short.' }).messages[0]).toEqual({ role: 'system', content: 'Be short.' });
  });

  it('lacks what is only for Anthropic’s accounting', () => {
    const header = 'x-anthropic-billing-header: cc_version=2.1.330; cch=a1b2;';
    const system = [
      { type: 'text', text: header },
      { type: 'text', text: 'Be short.' },
    ];
    expect(chatOf({ system }).messages[0]).toEqual({ role: 'system', content: 'Be short.' });
    expect(chatOf({ system: header }).messages).toHaveLength(1);
  });

  it('is told at its place where it comes amid the conversation, so that what was cached stays as it was', () => {
    const start = [
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'The date is Monday.', output_config: { effort: 'low' } },
    ];
    const more = [
      { role: 'assistant', content: 'Hi' },
      { role: 'system', content: [{ type: 'text', text: 'Now Tuesday.' }] },
      { role: 'user', content: 'And?' },
    ];
    const before = chatOf({ messages: start }).messages;
    expect(before).toEqual([
      { role: 'user', content: 'Hello\n\n<system-reminder>\nThe date is Monday.\n</system-reminder>' },
    ]);
    const after = read({ messages: [...start, ...more] });
    expect(after.chat.messages).toEqual([
      ...before,
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: '<system-reminder>\nNow Tuesday.\n</system-reminder>\n\nAnd?' },
    ]);
    expect(after.omitted).toEqual(['messages.output_config']);
  });

  it('includes system messages before the first turn', () => {
    const messages = [{ role: 'system', content: 'B' }, ...BODY.messages];
    expect(chatOf({ system: 'A', messages }).messages[0]).toEqual({ role: 'system', content: 'A\n\nB' });
  });
});
