import { Buffer } from 'node:buffer';
import { create, type DescFile, type DescMethod, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import * as grpc from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer, type PackageDefinition } from '@grpc/proto-loader';
import { writeMessage } from '../../../src/protobuf/write.js';
import type { TestGateway } from '../../support/gateway.js';
import type { TransportClient } from './client.js';
import { failureOf, type Outcome } from './outcome.js';
import { messageFrom, plainOf } from './plain.js';

/**
 * gRPC with the client and the codec of other makes: @grpc/grpc-js over protobufjs, knowing the contract by its
 * descriptors.
 */
export function grpcJsClient({ url, gateway }: TestGateway): TransportClient {
  const client = new grpc.Client(new URL(url).host, grpc.credentials.createInsecure());
  const definitions = definitionsOf(gateway.services.map(({ service }) => service.file));
  return {
    call(method, message, secret) {
      const metadata = new grpc.Metadata();
      if (secret !== null) metadata.set('authorization', `Bearer ${secret}`);
      const definition = definitionOf(definitions, method);
      const isUnary = method.methodKind === 'unary';
      const call = isUnary ? unary : streamed;
      return call(client, definition, plainOf(method.input, message), metadata, (plain) =>
        writeMessage(method.output, messageFrom(method.output, plain)),
      );
    },
    close: () => client.close(),
  };
}

type Definition = grpc.MethodDefinition<object, object>;
type Spell = (plain: object) => JsonObject;

function unary(
  client: grpc.Client,
  { path, requestSerialize, responseDeserialize }: Definition,
  request: object,
  metadata: grpc.Metadata,
  spell: Spell,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let generationId: string | null = null;
    client
      .makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, (error, plain) => {
        try {
          if (error !== null) resolve({ messages: [], generationId, failure: failure(error, []) });
          else resolve({ messages: [spell(plain ?? {})], generationId, failure: null });
        } catch (thrown) {
          reject(thrown);
        }
      })
      .on('metadata', (headers) => {
        generationId = generationIdIn(headers);
      });
  });
}

async function streamed(
  client: grpc.Client,
  { path, requestSerialize, responseDeserialize }: Definition,
  request: object,
  metadata: grpc.Metadata,
  spell: Spell,
): Promise<Outcome> {
  const messages: JsonObject[] = [];
  let generationId: string | null = null;
  const stream = client
    .makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata)
    .on('metadata', (headers) => {
      generationId = generationIdIn(headers);
    });
  try {
    for await (const plain of stream) messages.push(spell(plain));
    return { messages, generationId, failure: null };
  } catch (error) {
    return { messages, generationId, failure: failure(error as grpc.ServiceError, messages) };
  }
}

function generationIdIn(headers: grpc.Metadata): string | null {
  return headers.get('x-generation-id')[0]?.toString() ?? null;
}

function failure({ code, details, metadata }: grpc.ServiceError, messages: readonly JsonObject[]) {
  const headers = new Headers({ 'grpc-status': String(code), 'grpc-message': encodeURIComponent(details) });
  for (const name of Object.keys(metadata.getMap())) {
    const [value = ''] = metadata.get(name);
    headers.set(name, Buffer.isBuffer(value) ? value.toString('base64') : value);
  }
  return failureOf(findTrailerError(headers), messages);
}

function definitionOf(definitions: PackageDefinition, { parent, name }: DescMethod): Definition {
  const service = definitions[parent.typeName];
  const definition = service === undefined || 'format' in service ? undefined : service[name];
  if (definition === undefined) throw new Error(`protobufjs knows no ${parent.typeName}.${name}`);
  return definition;
}

function definitionsOf(files: readonly DescFile[]): PackageDefinition {
  const all = new Map<string, DescFile>();
  const add = (file: DescFile) => {
    if (all.has(file.name)) return;
    file.dependencies.forEach(add);
    all.set(file.name, file);
  };
  files.forEach(add);
  const set = create(FileDescriptorSetSchema, { file: [...all.values()].map(({ proto }) => proto) });
  return loadFileDescriptorSetFromBuffer(Buffer.from(toBinary(FileDescriptorSetSchema, set)), {
    keepCase: true,
    longs: String,
  });
}
