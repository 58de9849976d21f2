/** The members of requests for embeddings that have a price and a rule over shared capacity. */
import { CONTENT_PART } from './chat-members.js';
import { allowedMembersOf, scalar } from './shape.js';

export const EMBEDDINGS_REQUEST = allowedMembersOf({
  ...scalar('model', 'encoding_format', 'dimensions', 'output_dimension', 'input_type', 'task', 'truncate'),
  ...scalar('user', 'safety_identifier'),
  input: allowedMembersOf({ content: CONTENT_PART }, 'words'),
});
