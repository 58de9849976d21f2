/** Translates `tool_choice: allowed_tools` for protocols without such a choice. */
import { textKey } from '../../base/text.js';
import type { ChatBody, ChatTool } from '../../formats/chat/types.js';
import { elements, members, textOf } from '../../formats/json.js';

/**
 * The request with only the tools that it allows, and their mode as the tool choice. Unchanged without `allowed_tools`.
 */
export function withAllowedTools(body: ChatBody): ChatBody {
  const choice = members(body.tool_choice);
  if (choice.type !== 'allowed_tools') return body;
  const { mode, tools } = members(choice.allowed_tools ?? choice);
  const names = new Set(elements(tools).map((tool) => nameOf(members(tool))));
  return {
    ...body,
    tools: (body.tools ?? []).filter((tool) => names.has(nameOf(tool))),
    tool_choice: mode === 'required' ? 'required' : 'auto',
  };
}

function nameOf({ function: named, name, type }: Partial<ChatTool>): string | undefined {
  const given = textOf(members(named).name) ?? textOf(name) ?? type;
  return given && textKey(given);
}
