/** What tools are for, in as many characters as the host takes. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import type { ChatTool } from '../../../formats/chat/types.js';
import { isObject, members, textOf } from '../../../formats/json.js';

const GOES_ON = '\n[This goes on in the description of the arguments.]';

/** The tool; what does not fit into its description stands in that of its arguments, which hosts don't count. */
export function describedWithin(
  tool: ChatTool,
  { maxToolDescription: max }: ChatContract,
  onChanged: () => void,
): ChatTool {
  const described = tool.function;
  if (max === null || !isObject(described)) return tool;
  const text = textOf(described.description) ?? '';
  if (text.length <= max) return tool;
  onChanged();
  const end = endOf(text, Math.max(0, max - GOES_ON.length));
  const parameters = isObject(described.parameters) ? described.parameters : NO_PARAMETERS;
  const further = [text.slice(end), textOf(members(parameters).description)];
  return {
    ...tool,
    function: {
      ...described,
      description: `${text.slice(0, end)}${GOES_ON}`.slice(0, max),
      parameters: { ...parameters, description: further.filter((one) => one !== undefined).join('\n\n') },
    },
  };
}

const NO_PARAMETERS = { type: 'object', properties: {} };

/** The last end of a line that is not far away, else of a word, else of a character. */
function endOf(text: string, most: number): number {
  const within = text.slice(0, most);
  for (const border of ['\n', ' ']) {
    const end = within.lastIndexOf(border);
    if (end > most / 2) return end + 1;
  }
  const isHalf = /[\uD800-\uDBFF]$/.test(within);
  return isHalf ? most - 1 : most;
}
