/**
 * Moves media in results of tools. Hosts of this format accept only text there: some refuse the rest ("Image URLs are
 * only allowed for messages with role 'user'", https://github.com/OpenHands/OpenHands/issues/7700), others do not show
 * it to the model (https://github.com/openai/openai-openapi/issues/523). So media go to the user's turn after the
 * results.
 */
import type { ChatMessage, ContentPart } from '../../../formats/chat/types.js';

/** Returns the same messages if no result has media. */
export function withTextResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(hasMedia)) return messages;
  const moved: ChatMessage[] = [];
  let media: ContentPart[] = [];
  for (const message of messages) {
    if (message.role !== 'tool' && media.length > 0) {
      const isTurn = message.role === 'user';
      moved.push({
        role: 'user',
        ...(isTurn && message),
        content: [...media, ...(isTurn ? partsOf(message) : [])],
      });
      media = [];
      if (isTurn) continue;
    }
    if (!hasMedia(message)) {
      moved.push(message);
      continue;
    }
    const parts = partsOf(message);
    moved.push({ ...message, content: [...parts.filter(isText), { type: 'text', text: NOTE }] });
    media.push(heading(message), ...parts.filter((part) => !isText(part)));
  }
  return media.length === 0 ? moved : [...moved, { role: 'user', content: media }];
}

const NOTE = '[What is no text in this result follows in the message of the user.]';

function heading({ tool_call_id }: ChatMessage): ContentPart {
  return { type: 'text', text: `[From the result of ${tool_call_id}:]` };
}

function hasMedia(message: ChatMessage): boolean {
  return message.role === 'tool' && partsOf(message).some((part) => !isText(part));
}

function isText({ type }: ContentPart): boolean {
  return type === 'text';
}

function partsOf({ content }: ChatMessage): readonly ContentPart[] {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}
