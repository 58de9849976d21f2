import { expect, it } from 'vitest';
import { blocksSentBack, reportEdited } from '../../../src/providers/anthropic/chat/provider-blocks.js';

const blocks = [
  { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
  { type: 'text', text: 'It is ' },
  { type: 'text', text: 'sunny.' },
];
const said = (content: string | null) => ({
  role: 'assistant',
  content,
  provider_blocks: { format: 'anthropic-claude-v1', blocks },
});

it.each(['It is sunny.', 'It is sunny. \n', '', null])(
  'blocks go back with a message that says what they say, or leaves it to them: %j',
  (content) => {
    expect(blocksSentBack(said(content))).toEqual(blocks);
  },
);

it('what somebody has changed in a message since is said, not its blocks, and that is told', () => {
  const edited = said('It is cloudy.');
  expect(blocksSentBack(edited)).toBeUndefined();
  const told: unknown[] = [];
  const report = (message: object) =>
    reportEdited({
      body: { model: 'm', messages: [message as never] },
      onAdapted: (...one) => void told.push(one),
    });
  report(said('It is sunny.'));
  report({ role: 'user', content: 'Hello' });
  expect(told).toEqual([]);
  report(edited);
  expect(told).toEqual([['messages.provider_blocks', 'left_out']]);
});
