import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fromBinary, hasExtension } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ByokService } from '../../gen/byway/v1/byok_pb.js';
import { KeyService } from '../../gen/byway/v1/keys_pb.js';
import { http } from '../../gen/google/api/annotations_pb.js';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { grpcHealth } from '../../src/server/health/grpc-health.js';
import { reflectionRoutes } from '../../src/server/rpc/reflection.js';
import { GrpcPeer, type GrpcTransport, openGrpcTransport } from './grpc-transport.js';

const SERVICES = [KeyService, ByokService, Health];
const BUF = 'node_modules/.bin/buf';

interface Answer {
  readonly message_response: string;
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Uint8Array[] };
  readonly all_extension_numbers_response?: object;
  readonly list_services_response?: object;
  readonly error_response?: { readonly error_code: number };
  readonly original_request?: object;
}

let transport: GrpcTransport;

beforeAll(async () => {
  const readiness = { isReady: async () => true, onChange: () => () => {} };
  transport = await openGrpcTransport((router) => {
    router.service(Health, grpcHealth(SERVICES, readiness));
    router.service(KeyService, { getKey: ({ hash }) => ({ data: { hash, name: 'first' } }) });
    reflectionRoutes(SERVICES)(router);
  });
});

afterAll(() => transport.close());

describe.each(['v1', 'v1alpha'])('server reflection %s', (version) => {
  it('lists the services, its own included', async () => {
    const answer = await ask({ list_services: '' });
    const names = [
      'byway.v1.ByokService',
      'byway.v1.KeyService',
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ];
    expect(answer.list_services_response).toEqual({ service: names.map((name) => ({ name })) });
  });

  it('has the ErrorDetail, though no method names it', async () => {
    for (const question of [
      { file_containing_symbol: 'byway.v1.ErrorDetail' },
      { file_by_filename: 'byway/v1/error.proto' },
    ]) {
      const [file] = filesOf(await ask(question));
      expect(file?.messageType.map(({ name }) => name)).toContain('ErrorDetail');
    }
  });

  it('gives a file by its name, with everything it imports', async () => {
    const files = filesOf(await ask({ file_by_filename: 'byway/v1/keys.proto' }));
    expect(files[0]?.name).toBe('byway/v1/keys.proto');
    const names = files.map((file) => file.name);
    expect(names).toContain('google/protobuf/descriptor.proto');
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(files.flatMap((file) => file.dependency)));
  });

  it('has the annotations of a method, which plain gRPC does not know', async () => {
    const [file] = filesOf(await ask({ file_containing_symbol: 'byway.v1.KeyService' }));
    const options = file?.service[0]?.method.map((method) => method.options);
    expect(options?.every((option) => option !== undefined && hasExtension(option, http))).toBe(true);
  });

  it.each([
    ['byway.v1.KeyService', 'byway/v1/keys.proto'],
    ['byway.v1.KeyService.UpdateKey', 'byway/v1/keys.proto'],
    ['byway.v1.UpdateKeyRequest', 'byway/v1/keys.proto'],
    ['grpc.health.v1.HealthCheckResponse.ServingStatus', 'grpc/health/v1/health.proto'],
    ['google.protobuf.FieldMask', 'google/protobuf/field_mask.proto'],
    ['google.api.http', 'google/api/annotations.proto'],
  ])('finds the file that holds the symbol %s', async (symbol, file) => {
    expect(filesOf(await ask({ file_containing_symbol: symbol }))[0]?.name).toBe(file);
  });

  it('finds extensions by their number and lists the numbers', async () => {
    const extension = { containing_type: 'google.protobuf.MethodOptions', extension_number: 72295728 };
    const files = filesOf(await ask({ file_containing_extension: extension }));
    expect(files[0]?.name).toBe('google/api/annotations.proto');
    const numbers = await ask({ all_extension_numbers_of_type: 'google.protobuf.MethodOptions' });
    expect(numbers.all_extension_numbers_response).toEqual({
      base_type_name: 'google.protobuf.MethodOptions',
      extension_number: expect.arrayContaining([72295728]),
    });
    const none = await ask({ all_extension_numbers_of_type: 'byway.v1.UpdateKeyRequest' });
    expect(none.all_extension_numbers_response).toEqual({ base_type_name: 'byway.v1.UpdateKeyRequest' });
  });

  it.each([
    [{ file_by_filename: 'byway/v1/nothing.proto' }, grpc.status.NOT_FOUND],
    [{ file_containing_symbol: 'byway.v1.Nothing' }, grpc.status.NOT_FOUND],
    [{ file_containing_symbol: '' }, grpc.status.NOT_FOUND],
    [
      { file_containing_extension: { containing_type: 'byway.v1.Nothing', extension_number: 1 } },
      grpc.status.NOT_FOUND,
    ],
    [{ all_extension_numbers_of_type: 'byway.v1.Nothing' }, grpc.status.NOT_FOUND],
    [{}, grpc.status.INVALID_ARGUMENT],
  ])('answers %j with an error response', async (request, code) => {
    const answer = await ask(request);
    expect(answer.error_response).toMatchObject({ error_code: code });
  });

  it('answers every request of one stream, in order, an error in between included', async () => {
    const answers = await askAll([
      { host: 'here', list_services: '' },
      { file_containing_symbol: 'byway.v1.Nothing' },
      { file_by_filename: 'google/api/http.proto' },
    ]);
    expect(answers.map((answer) => answer.message_response)).toEqual([
      'list_services_response',
      'error_response',
      'file_descriptor_response',
    ]);
    expect(answers[0]?.original_request).toMatchObject({ host: 'here', list_services: '' });
  });

  async function ask(request: object): Promise<Answer> {
    const [answer] = await askAll([request]);
    if (answer === undefined) throw new Error('no answer');
    return answer;
  }

  async function askAll(requests: readonly object[]): Promise<Answer[]> {
    const proto = `@grpc/reflection/build/proto/grpc/reflection/${version}/reflection.proto`;
    const peer = new GrpcPeer(transport.address, proto, `grpc.reflection.${version}.ServerReflection`);
    const stream = peer.duplex('ServerReflectionInfo');
    for (const request of requests) stream.write(request);
    stream.end();
    const answers: Answer[] = [];
    for await (const answer of stream) answers.push(answer);
    peer.close();
    return answers;
  }
});

describe('a tool that knows the schema by reflection alone', () => {
  it('lists the methods', async () => {
    expect(await bufCurl('--list-methods')).toContain('byway.v1.KeyService/UpdateKey');
  });

  it('calls one, with a request and an answer in JSON', async () => {
    const answer = await bufCurl('--data', '{"hash": "abc"}', '/byway.v1.KeyService/GetKey');
    expect(JSON.parse(answer)).toMatchObject({ data: { hash: 'abc', name: 'first' } });
    expect(JSON.parse(await bufCurl('/grpc.health.v1.Health/Check'))).toEqual({ status: 'SERVING' });
  });

  async function bufCurl(...options: readonly string[]): Promise<string> {
    const flags = options.filter((option) => !option.startsWith('/'));
    const path = options.find((option) => option.startsWith('/')) ?? '';
    const base = ['curl', '--protocol', 'grpc', '--http2-prior-knowledge'];
    const { stdout } = await promisify(execFile)(BUF, [
      ...base,
      ...flags,
      `http://${transport.address}${path}`,
    ]);
    return stdout;
  }
});

function filesOf(answer: Answer): FileDescriptorProto[] {
  const files = answer.file_descriptor_response?.file_descriptor_proto ?? [];
  return files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}
