import type { JsonObject } from '@bufbuild/protobuf';
import { Role } from '../../../gen/byway/options/v1/options_pb.js';

/**
 * The kinds of credentials, each a bearer token (docs/credentials.md#secrets-that-byway-issues). That `x-api-key` carries
 * them too is left out, since it would double every list of alternatives.
 */
export const SECURITY_SCHEMES = {
  apiKey: bearer('An API key: `bw-v1-` and 64 hexadecimal characters. For inference.'),
  clientSecret: bearer(
    'The secret of a client application: `bw-client-` and 64 hexadecimal characters. For the API keys that the same ' +
      'client created; any other key does not exist for it.',
  ),
  managementKey: bearer(
    'A management key: `bw-mgmt-` and 64 hexadecimal characters. For the administration of its account.',
  ),
  operatorKey: bearer(
    'An operator key: `bw-op-` and 64 hexadecimal characters, of no account. For what shows more than one account.',
  ),
};

/** The credentials that callers in these roles may send, as alternatives; an empty one stands for no credential. */
export function securityOf(roles: readonly Role[]): JsonObject[] {
  const schemes = CREDENTIALS.filter(([role]) => roles.includes(role) || roles.includes(Role.ANONYMOUS));
  const alternatives = schemes.map(([, scheme]): JsonObject => ({ [scheme]: [] }));
  return roles.includes(Role.ANONYMOUS) ? [{}, ...alternatives] : alternatives;
}

const CREDENTIALS: readonly (readonly [Role, keyof typeof SECURITY_SCHEMES])[] = [
  [Role.API_KEY, 'apiKey'],
  [Role.MANAGEMENT_KEY, 'managementKey'],
  [Role.CLIENT_SECRET, 'clientSecret'],
  [Role.OPERATOR_KEY, 'operatorKey'],
];

function bearer(description: string): JsonObject {
  return { type: 'http', scheme: 'bearer', description };
}
