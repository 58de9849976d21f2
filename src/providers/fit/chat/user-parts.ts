/** Parts of what the user says: files and sounds go where the host takes them. */
import { FILE_TYPES, inlineFile, kindOf, roleOf, untakenFromUser } from '../../../formats/chat/part-kind.js';
import type { ChatMessage, ContentPart } from '../../../formats/chat/types.js';
import { members, textOf } from '../../../formats/json.js';
import { mapped, refused, type Step, withBody } from '../step.js';

/** Files of text become texts; what the host can't read is refused. */
export const fitUserParts: Step = (call, contract) => {
  const { userParts } = contract;
  if (userParts === null) return call;
  const fitted = (message: ChatMessage, at: number): ChatMessage => {
    const role = roleOf(message);
    if ((role !== 'user' && role !== 'tool') || !Array.isArray(message.content)) return message;
    const content = mapped(message.content as readonly ContentPart[], (part, index) => {
      if (userParts.includes(part.type)) return part;
      const rule = untakenFromUser(kindOf(part), role, contract);
      if (rule !== undefined) throw refused(call, `messages[${at}].content[${index}]`, rule);
      return otherwise(part, userParts);
    });
    return content === message.content ? message : { ...message, content };
  };
  return withBody(call, { messages: mapped(call.body.messages, fitted) });
};

/** A file in words where it is one of text, else as the host has files. */
function otherwise(part: ContentPart, taken: readonly string[]): ContentPart {
  const { filename, file_data } = members(part.file);
  const file = inlineFile(part);
  const name = textOf(filename);
  if (file?.type.startsWith('text/')) {
    const text = Buffer.from(file.base64, 'base64').toString();
    return { type: 'text', text: name === undefined ? text : `[${name}]\n${text}` };
  }
  const [type] = FILE_TYPES.filter((one) => taken.includes(one));
  if (type === 'document_url') {
    return { type, document_url: file_data, ...(name !== undefined && { document_name: name }) };
  }
  // https://docs.perplexity.ai/guides/file-attachments: base64 without a prefix.
  const url = file?.base64 ?? file_data;
  return { type: 'file_url', file_url: { url }, ...(name !== undefined && { file_name: name }) };
}
