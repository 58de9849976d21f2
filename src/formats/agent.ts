/** Which of a client's agents makes a request. See `docs/money.md#end-users`. */

/**
 * Headers that name it, and the agent that has started it. Claude Code gives each subagent an id
 * (https://github.com/anthropics/claude-code/issues/49204), Codex the kind of a subagent: `review`, `compact`, ...
 * (`codex-rs/core/src/client.rs`, https://github.com/caozhiyuan/copilot-api/pull/259). Looked up on 2026-11-26.
 */
const CLAUDE_CODE_AGENT = 'x-claude-code-agent-id';
const CLAUDE_CODE_PARENT = 'x-claude-code-parent-agent-id';
const CODEX_SUBAGENT = 'x-openai-subagent';

export interface Agent {
  readonly agentId: string | null;
  readonly parentAgentId: string | null;
}

/** 1 to 128 visible ASCII characters. What is anything else is ignored, since these headers are not for us. */
const AGENT = /^[\x21-\x7e]{1,128}$/;

export function agentIn(headers: Pick<Headers, 'get'>): Agent {
  return {
    agentId: nameOf(headers.get(CLAUDE_CODE_AGENT)) ?? nameOf(headers.get(CODEX_SUBAGENT)),
    parentAgentId: nameOf(headers.get(CLAUDE_CODE_PARENT)),
  };
}

function nameOf(header: string | null): string | null {
  return header !== null && AGENT.test(header) ? header : null;
}
