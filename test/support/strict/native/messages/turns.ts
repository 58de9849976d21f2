/** Rules of Anthropic's Messages about turns, and about calls and their results. */
import type { Rule } from '../rule.js';
import { hasHalves, repeated } from '../values.js';
import { blocksIn, type FakeBlock, type FakeTurn, type MessagesCall, placedBlocks, turnsOf } from './body.js';

const SEEN = '2026-11-26';
const CALLS = 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls';

/** Models that take messages of the system amid a conversation. */
const WITH_SYSTEM_TURNS = /claude-(?:opus-4-[89]|(?:opus|sonnet|haiku)-[5-9]|fable|mythos)/;

/** Models that go on from what the assistant is made to have said. */
const WITHOUT_PREFILL = /claude-(?:(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])|fable)/;

export const TURN_RULES: readonly Rule[] = [
  {
    refuses: 'half of a surrogate pair',
    source: 'https://github.com/anthropics/claude-code/issues/3277',
    seen: SEEN,
    sure: 'reported',
    violation: (body) =>
      hasHalves(body) ? 'The request body is not valid JSON: no low surrogate in string: line 1' : undefined,
  },
  {
    refuses: 'a conversation without messages',
    source: '@anthropic-ai/sdk MessageCreateParamsBase',
    seen: SEEN,
    sure: 'typed',
    violation({ messages }: MessagesCall) {
      if (!Array.isArray(messages)) return 'messages: Field required';
      return messages.length === 0 ? 'messages: at least one message is required' : undefined;
    },
  },
  {
    refuses: 'a first turn that is not the user',
    source: 'https://platform.claude.com/docs/en/api/messages',
    seen: SEEN,
    sure: 'documented',
    violation: (body: MessagesCall) =>
      turnsOf(body)[0]?.role === 'assistant' ? 'messages: first message must use the "user" role' : undefined,
  },
  {
    refuses: 'roles other than user and assistant, but for the system after the user, since Opus 4.8',
    // The words: https://github.com/anthropics/claude-code/issues/61412. Which models take it, "immediately after a user turn":
    // https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-8 as quoted in
    // https://github.com/simonw/llm-anthropic/issues/73, and the release @langchain/anthropic@1.5.13.
    source: 'https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages',
    seen: SEEN,
    sure: 'documented',
    violation: (body: MessagesCall, { model }) =>
      eachTurn(body, ({ role }, index, turns) =>
        role === 'user' ||
        role === 'assistant' ||
        (role === 'system' && WITH_SYSTEM_TURNS.test(model) && turns[index - 1]?.role === 'user')
          ? undefined
          : `messages.${index}: role '${role}' is not supported on this model`,
      ),
  },
  {
    refuses: 'a turn without content',
    source: 'https://github.com/anthropics/claude-code/issues/3196',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachTurn(body, ({ content }, index) =>
        content === undefined || content === null || content.length === 0
          ? `messages.${index}: all messages must have non-empty content`
          : undefined,
      ),
  },
  {
    refuses: 'a call without its result in the next turn',
    source: 'https://github.com/anthropics/claude-code/issues/8210',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachTurn(body, (turn, index, turns) => {
        const next = turns[index + 1];
        if (next === undefined) return undefined;
        return unanswered(turn, next, index);
      }),
  },
  {
    refuses: 'a call at the end, which nothing answers',
    source: 'https://github.com/anthropics/claude-code/issues/5989',
    seen: SEEN,
    sure: 'assumed',
    violation: (body: MessagesCall) =>
      eachTurn(body, (turn, index, turns) =>
        index === turns.length - 1 ? unanswered(turn, undefined, index) : undefined,
      ),
  },
  {
    refuses: 'a result of a call that is not in the turn before',
    source: 'https://github.com/anthropics/claude-code/issues/18947',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachTurn(body, (turn, index, turns) => {
        const before = new Set(blocksIn(turns[index - 1]).map(({ id }) => id));
        const orphan = resultsIn(turn).find(({ tool_use_id }) => !before.has(tool_use_id));
        return (
          orphan &&
          `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${orphan.tool_use_id}`
        );
      }),
  },
  {
    refuses: 'results after other content of their turn',
    source: CALLS,
    seen: SEEN,
    sure: 'documented',
    violation: (body: MessagesCall) =>
      eachTurn(body, (turn) => {
        const blocks = blocksIn(turn);
        const end = blocks.findLastIndex(({ type }) => type === 'tool_result') + 1;
        const isFirst = blocks.slice(0, end).every(({ type }) => type === 'tool_result');
        return isFirst ? undefined : 'tool_result blocks must come first';
      }),
  },
  {
    refuses: 'two results of one call',
    source: 'https://github.com/BerriAI/litellm/issues/20047',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall) =>
      eachTurn(body, (turn, index) => {
        const id = repeated(resultsIn(turn).map(({ tool_use_id }) => String(tool_use_id)));
        return (
          id &&
          `messages.${index}.content: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
        );
      }),
  },
  {
    refuses: 'two calls with one id, anywhere in the conversation',
    source: 'https://github.com/anthropics/claude-code/issues/28515',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const ids = placedBlocks(body).flatMap(({ block: { type, id } }) =>
        type === 'tool_use' ? [String(id)] : [],
      );
      return repeated(ids) === undefined ? undefined : 'messages: `tool_use` ids must be unique';
    },
  },
  {
    refuses: 'blanks at the end of what the assistant is made to begin with',
    source: 'https://github.com/tailcallhq/forgecode/issues/1872',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const last = turnsOf(body).at(-1);
      const text = typeof last?.content === 'string' ? last.content : blocksIn(last).at(-1)?.text;
      return last?.role === 'assistant' && typeof text === 'string' && /\s$/.test(text)
        ? 'messages: final assistant content cannot end with trailing whitespace'
        : undefined;
    },
  },
  {
    refuses: 'a last turn of the assistant that ends with a thought',
    // Measured at claude-haiku-4-5, and that it is refused nowhere else.
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/5321',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const last = joined(turnsOf(body)).at(-1);
      return last?.role === 'assistant' && isThought(blocksIn(last).at(-1))
        ? `messages.${turnsOf(body).length - 1}: The final block in an assistant message cannot be \`thinking\`.`
        : undefined;
    },
  },
  {
    refuses: 'thoughts in a last turn of the assistant while it does not think',
    source: 'https://github.com/tailcallhq/forgecode/issues/1853',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const last = joined(turnsOf(body)).at(-1);
      const isThinking = body.thinking !== undefined && body.thinking.type !== 'disabled';
      return !isThinking && last?.role === 'assistant' && blocksIn(last).some(isThought)
        ? `messages.${turnsOf(body).length - 1}.content.0: When thinking is disabled, an \`assistant\` message in the final position cannot contain \`thinking\`. To use thinking blocks, enable \`thinking\` in your request.`
        : undefined;
    },
  },
  {
    refuses: 'calls of tools of its own without their results, but for those that go on',
    // The same words in https://github.com/vercel/ai/issues/13533. Calls that made calls of the client's themselves wait for those:
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling.
    source: 'https://github.com/pydantic/pydantic-ai/pull/5143',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const turns = joined(turnsOf(body));
      const blocks = turns.flatMap(blocksIn);
      const done = new Set(blocks.flatMap((block) => [block.tool_use_id, Object(block.caller).tool_id]));
      const before = turns.at(-1)?.role === 'assistant' ? turns.slice(0, -1) : turns;
      const open = before
        .flatMap(blocksIn)
        .find(({ type, id }) => /^(server|mcp)_tool_use$/.test(type) && !done.has(id));
      return (
        open &&
        `messages: \`${open.name}\` tool use with id \`${open.id}\` was found without a corresponding \`${open.name}_tool_result\` block`
      );
    },
  },
  {
    refuses: 'results of tools of its own without their calls',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools',
    seen: SEEN,
    sure: 'assumed',
    violation(body: MessagesCall) {
      const blocks = turnsOf(body).flatMap(blocksIn);
      const called = new Set(blocks.map(({ id }) => id));
      const open = blocks.find(
        ({ type, tool_use_id }) => type.endsWith('_tool_result') && !called.has(tool_use_id),
      );
      return open && `unexpected \`tool_use_id\` found in \`${open.type}\` blocks: ${open.tool_use_id}`;
    },
  },
  {
    refuses: 'a last turn of the assistant, at models since 4.6',
    source: 'https://github.com/ericc-ch/copilot-api/pull/261',
    seen: SEEN,
    sure: 'reported',
    violation: (body: MessagesCall, { model }) =>
      WITHOUT_PREFILL.test(model) && turnsOf(body).at(-1)?.role === 'assistant'
        ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
        : undefined,
  },
];

type CheckTurn = (turn: FakeTurn, index: number, turns: readonly FakeTurn[]) => string | undefined;

function eachTurn(body: MessagesCall, check: CheckTurn): string | undefined {
  const turns = joined(turnsOf(body));
  return turns.map((turn, index) => check(turn, index, turns)).find((found) => found !== undefined);
}

/** Consecutive turns of one side are one to the host: `MessageParam` of the official client says so. */
function joined(turns: readonly FakeTurn[]): readonly FakeTurn[] {
  const all: FakeTurn[] = [];
  for (const turn of turns) {
    const last = all.at(-1);
    if (last === undefined || last.role !== turn.role || isEmpty(last) || isEmpty(turn)) all.push(turn);
    else all[all.length - 1] = { ...last, content: [...asBlocks(last), ...asBlocks(turn)] };
  }
  return all;
}

function isThought(block: FakeBlock | undefined): boolean {
  return /^(redacted_)?thinking$/.test(String(block?.type));
}

function isEmpty({ content }: FakeTurn): boolean {
  return content === undefined || content === null || content.length === 0;
}

function asBlocks(turn: FakeTurn) {
  return typeof turn.content === 'string' ? [{ type: 'text', text: turn.content }] : blocksIn(turn);
}

function resultsIn(turn: FakeTurn) {
  return blocksIn(turn).filter(({ type }) => type === 'tool_result');
}

function unanswered(turn: FakeTurn, next: FakeTurn | undefined, index: number): string | undefined {
  const answered = new Set(blocksIn(next).map(({ tool_use_id }) => tool_use_id));
  const ids = blocksIn(turn).flatMap(({ type, id }) =>
    type === 'tool_use' && !answered.has(id) ? [id] : [],
  );
  return ids.length === 0
    ? undefined
    : `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}
