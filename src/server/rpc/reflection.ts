import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  create,
  type DescFile,
  type DescService,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { Plane } from '../../../gen/byway/options/v1/options_pb.js';
import { ErrorDetailSchema } from '../../../gen/byway/v1/error_pb.js';
import {
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
  ServerReflection as V1,
} from '../../../gen/grpc/reflection/v1/reflection_pb.js';
import {
  ServerReflectionRequestSchema as AlphaRequestSchema,
  ServerReflectionResponseSchema as AlphaResponseSchema,
  ServerReflection as V1Alpha,
} from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js';
import { bodyLimitBytes } from '../../http/body.js';
import { createSchemaIndex, type SchemaIndex } from './schema-index.js';

type Request = ServerReflectionRequest['messageRequest'];
type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']>;

/**
 * Routes of gRPC server reflection, v1 and v1alpha: they describe `services`, themselves and
 * every file those depend on, and the ErrorDetail. An unknown name is answered with an error
 * response, and the stream goes on. Mount them with the `shutdownSignal` of the server, since a client may keep its
 * stream open for ever.
 */
export function reflectionRoutes(services: readonly DescService[]): (router: ConnectRouter) => void {
  const index = createSchemaIndex([...services, V1, V1Alpha], [ErrorDetailSchema.file]);
  const reply = (request: ServerReflectionRequest) =>
    create(ServerReflectionResponseSchema, {
      validHost: request.host,
      originalRequest: request,
      messageResponse: answer(index, request.messageRequest),
    });
  return (router) => {
    router.service(
      V1,
      {
        async *serverReflectionInfo(requests) {
          for await (const request of requests) {
            yield reply(request);
            await yieldToOthers();
          }
        },
      },
      READING,
    );
    router.service(
      V1Alpha,
      {
        // Both versions are the same on the wire.
        async *serverReflectionInfo(requests) {
          for await (const request of requests) {
            const same = fromBinary(ServerReflectionRequestSchema, toBinary(AlphaRequestSchema, request));
            yield fromBinary(AlphaResponseSchema, toBinary(ServerReflectionResponseSchema, reply(same)));
            await yieldToOthers();
          }
        },
      },
      READING,
    );
  };
}

/** Anybody may call, and requests are short. */
const READING = { readMaxBytes: bodyLimitBytes(Plane.LISTING) };

function answer(index: SchemaIndex, request: Request): Answer {
  switch (request.case) {
    case 'fileByFilename':
      return files(index, index.fileByName(request.value), request.value);
    case 'fileContainingSymbol':
      return files(index, index.fileOfSymbol(request.value), request.value);
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = request.value;
      const file = index.fileOfExtension(containingType, extensionNumber);
      return files(index, file, `extension ${extensionNumber} of ${containingType}`);
    }
    case 'allExtensionNumbersOfType':
      return extensionNumbers(index, request.value);
    case 'listServices': {
      const service = index.services.map((name) => ({ name }));
      return { case: 'listServicesResponse', value: { service } };
    }
    case undefined:
      return failure(Code.InvalidArgument, 'message_request is not set');
  }
}

/** The file, then what it depends on, so that a client needs no further request. */
function files(index: SchemaIndex, file: DescFile | undefined, name: string): Answer {
  if (file === undefined) return failure(Code.NotFound, `not found: ${name}`);
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: index.closure(file) } };
}

function extensionNumbers(index: SchemaIndex, baseTypeName: string): Answer {
  const extensionNumber = index.extensionNumbers(baseTypeName);
  if (extensionNumber === undefined) return failure(Code.NotFound, `not found: ${baseTypeName}`);
  return { case: 'allExtensionNumbersResponse', value: { baseTypeName, extensionNumber } };
}

function failure(errorCode: Code, errorMessage: string): Answer {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}
