/** The members of OpenAI's Responses format that have a price and a rule over shared capacity. */
import { allowedMembersOf, opaque, scalar } from './shape.js';

export const RESPONSES_REQUEST = allowedMembersOf({ ...scalar('model', 'stream'), ...opaque('input') });
