/** Server-sent events of the Messages API: https://platform.claude.com/docs/en/build-with-claude/streaming */

import type { FailureDetails } from '../../base/problem.js';
import { messagesErrorAnswer } from './error.js';

export const MESSAGES_EVENTS = {
  /** An event with this JSON, named by its `type` if that is a valid name of an event. */
  event(message: object, json: string): string {
    const type = 'type' in message ? message.type : undefined;
    return typeof type === 'string' && !LINE_BREAK.test(type)
      ? `event: ${type}\ndata: ${json}\n\n`
      : `data: ${json}\n\n`;
  },
  ping: { text: 'event: ping\ndata: {"type": "ping"}\n\n', isFirst: true, afterPings: 1 },
  error(failed: FailureDetails, requestId: string): string {
    return `event: error\ndata: ${messagesErrorAnswer(failed, requestId).body}\n\n`;
  },
};

const LINE_BREAK = /[\r\n]/;
