import { Api } from '../../gen/byway/options/v1/options_pb.js';
import { CHAT_CONVENTIONS } from '../formats/chat/conventions.js';
import { COMPLETIONS_CONVENTIONS } from '../formats/completions/conventions.js';
import { EMBEDDINGS_CONVENTIONS } from '../formats/embeddings/conventions.js';
import { chatInMessages } from '../formats/messages/as-chat.js';
import { MESSAGES_CONVENTIONS } from '../formats/messages/transport/conventions.js';
import { RERANK_CONVENTIONS } from '../formats/rerank/conventions.js';
import { chatInResponses } from '../formats/responses/as-chat.js';
import { RESPONSES_CONVENTIONS } from '../formats/responses/transport/conventions.js';
import type { Apis } from '../http/api-conventions.js';

/** The APIs of other makers that are served. */
export const APIS: Apis = {
  [Api.CHAT]: { ...CHAT_CONVENTIONS, ownForm: (body) => chatInResponses(chatInMessages(body)) },
  [Api.MESSAGES]: MESSAGES_CONVENTIONS,
  [Api.RESPONSES]: RESPONSES_CONVENTIONS,
  [Api.COMPLETIONS]: COMPLETIONS_CONVENTIONS,
  [Api.EMBEDDINGS]: EMBEDDINGS_CONVENTIONS,
  [Api.RERANK]: RERANK_CONVENTIONS,
};
