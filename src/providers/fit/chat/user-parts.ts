/** Parts of what the user says: files and sounds go where the host takes them. */
import type { ChatMessage, ContentPart } from '../../../formats/chat/types.js';
import { members, textOf } from '../../../formats/json.js';
import { type ChatCall, mapped, refused, type Step, withBody } from '../step.js';

/** Files of text become texts; what the host can't read is refused. */
export const fitUserParts: Step = (call, { userParts }) => {
  if (userParts === null) return call;
  const fitted = (message: ChatMessage, at: number): ChatMessage => {
    if (!isOfUser(message) || !Array.isArray(message.content)) return message;
    const content = mapped(message.content as readonly ContentPart[], (part, index) =>
      userParts.includes(part.type)
        ? part
        : otherwise(part, userParts, call, `messages[${at}].content[${index}]`),
    );
    return content === message.content ? message : { ...message, content };
  };
  return withBody(call, { messages: mapped(call.body.messages, fitted) });
};

/** What results have beside texts goes to the user's turn. */
function isOfUser({ role }: ChatMessage): boolean {
  return role === 'user' || role === 'tool';
}

const DATA = /^data:([^;,]{1,100})(?:;[^,]{0,200})?;base64,/i;

function otherwise(part: ContentPart, taken: readonly string[], call: ChatCall, field: string): ContentPart {
  const { filename, file_data } = members(part.file);
  const data = textOf(file_data) ?? '';
  const [head, type = ''] = DATA.exec(data.slice(0, 400)) ?? [];
  if (head !== undefined && type.toLowerCase().startsWith('text/')) {
    const text = Buffer.from(data.slice(head.length), 'base64').toString();
    return { type: 'text', text: textOf(filename) === undefined ? text : `[${filename}]\n${text}` };
  }
  if (head !== undefined && taken.includes('document_url')) {
    return {
      type: 'document_url',
      document_url: data,
      ...(textOf(filename) !== undefined && { document_name: filename }),
    };
  }
  throw refused(call, field, `no part of type ${part.type}, but ${taken.join(', ')}`);
}
