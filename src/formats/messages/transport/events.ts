/** Server-sent events of the Messages API: https://platform.claude.com/docs/en/build-with-claude/streaming */

import type { FailureDetails } from '../../../base/problem.js';
import { namedEvent } from '../../named-event.js';
import { messagesErrorAnswer } from './error.js';

export const MESSAGES_EVENTS = {
  event: namedEvent,
  ping: { text: 'event: ping\ndata: {"type": "ping"}\n\n', isFirst: true, afterPings: 1 },
  error(failed: FailureDetails, requestId: string): string {
    return `event: error\ndata: ${messagesErrorAnswer(failed, requestId).body}\n\n`;
  },
};
