import type { JsonObject } from '@bufbuild/protobuf';
import type { Apis } from '../../http/api-conventions.js';
import type { Aliases } from '../../protobuf/write.js';
import type { Operation } from '../operation.js';
import { errorResponses } from './errors.js';
import { HEADERS } from './headers.js';
import { SHARED_PARAMETERS } from './parameters.js';
import { pathsOf } from './paths.js';
import { Schemas } from './schemas.js';
import { SECURITY_SCHEMES } from './security.js';
import { SYSTEM_PATHS, SYSTEM_TAG } from './system-paths.js';
import { tagsOf } from './tags.js';

/** The version of the API, not of the program. */
const VERSION = '1.0.0';

const DESCRIPTION =
  'A self-hosted AI gateway: models of many providers behind one API, with your own provider keys. ' +
  'Every operation is an RPC too (Connect, gRPC and gRPC-Web, on the same port). No text of an administrative request may ' +
  'hold the null character (U+0000), and no member may stand twice in its object.';

/**
 * The OpenAPI 3.1 document of the operations, for the server that it is read from. It depends on nothing but them,
 * their APIs and the operator's aliases, and not on their order. Throws an Error where two schemas have one name.
 */
export function openApiDocument(operations: readonly Operation[], apis: Apis, aliases: Aliases): JsonObject {
  const schemas = new Schemas(operations, aliases);
  const paths = { ...pathsOf(operations, schemas, apis), ...SYSTEM_PATHS };
  const responses = errorResponses(schemas, apis);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Byway',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...tagsOf(operations), SYSTEM_TAG],
    paths,
    components: {
      schemas: schemas.components(),
      responses,
      parameters: SHARED_PARAMETERS,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
