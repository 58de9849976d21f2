import { Api } from '../../gen/byway/options/v1/options_pb.js';
import { MESSAGES_CONVENTIONS } from '../../src/formats/messages/conventions.js';
import type { Apis } from '../../src/http/api-conventions.js';

/** The APIs that a gateway serves. */
export const APIS: Apis = { [Api.MESSAGES]: MESSAGES_CONVENTIONS };
