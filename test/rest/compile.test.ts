import type { DescFile } from '@bufbuild/protobuf';
import type { FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import {
  field as fieldOption,
  message as messageOption,
  method as methodOption,
  Plane,
  Role,
  service as serviceOption,
} from '../../gen/byway/options/v1/options_pb.js';
import { ByokService, file_byway_v1_byok } from '../../gen/byway/v1/byok_pb.js';
import { ChatService, file_byway_v1_chat } from '../../gen/byway/v1/chat_pb.js';
import { file_byway_v1_keys, KeyService } from '../../gen/byway/v1/keys_pb.js';
import { http } from '../../gen/google/api/annotations_pb.js';
import { compileOperations } from '../../src/rest/compile.js';
import { allowedMethods } from '../../src/rest/not-found.js';
import { changed, edit, methodOptions, serviceOptions } from './changed.js';
import { operations } from './stub.js';

/** The reason for which the services cannot be served. */
function refusal(file: DescFile, change: (proto: FileDescriptorProto) => void): string {
  const services = changed(file, change);
  try {
    compileOperations(services);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'served';
}

describe('the table of operations', () => {
  it('has every method of the contract at its path', () => {
    const table = operations.map(
      ({ httpMethod, path, successStatus }) => `${httpMethod} ${path} ${successStatus}`,
    );
    expect(table).toContain('PATCH /keys/{hash} 200');
    expect(table).toContain('POST /keys 201');
    expect(table).toContain('GET /models/{author}/{slug}/endpoints 200');
    expect(table.filter((line) => line.includes('/chat/completions'))).toHaveLength(1);
  });

  it('knows where each field of a request comes from', () => {
    const update = operations.find(({ id }) => id === 'UpdateByokKey');
    expect(update?.fastifyPath).toBe('/api/v1/byok/:id');
    expect(update?.pathParameters.map(({ fields }) => fields.map(({ name }) => name))).toEqual([
      ['byok_key', 'id'],
    ]);
    expect(update?.body?.field?.name).toBe('byok_key');
    expect(update?.mask?.name).toBe('update_mask');
    expect(update?.query).toEqual([]);
    const list = operations.find(({ id }) => id === 'ListByokKeys');
    expect(list?.query.map(({ name }) => name)).toEqual(['offset', 'limit', 'workspace_id', 'provider']);
    const chat = operations.find(({ id }) => id === 'CreateChatCompletion');
    expect([chat?.stream?.method.name, chat?.stream?.member.name]).toEqual([
      'StreamChatCompletion',
      'stream',
    ]);
  });

  it('tells which methods a path takes', () => {
    const allowed = allowedMethods(operations);
    expect(allowed('/api/v1/keys/x')).toEqual(['GET', 'HEAD', 'PATCH', 'DELETE']);
    expect(allowed('/api/v1/keys/x/')).toEqual([]);
    expect(allowed('/keys')).toEqual([]);
  });
});

describe('a wrong annotation stops the start, naming file, method and reason', () => {
  it('such as an unchanged file, which is served', () => {
    expect(refusal(file_byway_v1_keys, () => {})).toBe('served');
    expect(refusal(file_byway_v1_chat, () => {})).toBe('served');
    expect(compileOperations([KeyService, ByokService, ChatService])).not.toHaveLength(0);
  });

  const keys: [string, (proto: FileDescriptorProto) => void, RegExp][] = [
    [
      'no roles',
      (proto) => edit(serviceOptions(proto), serviceOption, (rule) => Object.assign(rule, { roles: [] })),
      /byway\/v1\/keys\.proto: KeyService\.ListKeys: must name the roles/,
    ],
    [
      'an unspecified role',
      (proto) =>
        edit(methodOptions(proto, 'GetKey'), methodOption, (rule) => rule.roles.push(Role.UNSPECIFIED)),
      /roles/,
    ],
    [
      'no plane',
      (proto) =>
        edit(serviceOptions(proto), serviceOption, (rule) =>
          Object.assign(rule, { plane: Plane.UNSPECIFIED }),
        ),
      /ListKeys: must name its plane/,
    ],
    [
      'a status of failure',
      (proto) =>
        edit(methodOptions(proto, 'GetKey'), methodOption, (rule) =>
          Object.assign(rule, { successStatus: 404 }),
        ),
      /404/,
    ],
    [
      'no path',
      (proto) =>
        edit(methodOptions(proto, 'GetKey'), http, (rule) =>
          Object.assign(rule, { pattern: { case: undefined } }),
        ),
      /needs one of get, post/,
    ],
    [
      'a field that is not there',
      (proto) =>
        edit(methodOptions(proto, 'GetKey'), http, (rule) =>
          Object.assign(rule, { pattern: { case: 'get', value: '/keys/{hsah}' } }),
        ),
      /KeyService\.GetKey: the path names \{hsah\}, which is not a field/,
    ],
    [
      'a path that is none',
      (proto) =>
        edit(methodOptions(proto, 'GetKey'), http, (rule) =>
          Object.assign(rule, { pattern: { case: 'get', value: '/keys/{hash=*}' } }),
        ),
      /is not made of names/,
    ],
    [
      'a path without a slash',
      (proto) =>
        edit(methodOptions(proto, 'GetKey'), http, (rule) =>
          Object.assign(rule, { pattern: { case: 'get', value: 'keys/{hash}' } }),
        ),
      /must start with a slash/,
    ],
    [
      'a GET with a body',
      (proto) => edit(methodOptions(proto, 'GetKey'), http, (rule) => Object.assign(rule, { body: '*' })),
      /GET has no body/,
    ],
    [
      'a body that is not a message',
      (proto) =>
        edit(methodOptions(proto, 'CreateKey'), http, (rule) => Object.assign(rule, { body: 'name' })),
      /CreateKey: body names name, which is not a message field/,
    ],
    [
      'a PATCH without its own body',
      (proto) => edit(methodOptions(proto, 'UpdateKey'), http, (rule) => Object.assign(rule, { body: '*' })),
      /PATCH needs a body that is one field/,
    ],
    [
      'a message in the query',
      (proto) =>
        edit(methodOptions(proto, 'UpdateKey'), http, (rule) =>
          Object.assign(rule, { pattern: { case: 'put', value: '/keys/{key.hash}' } }),
        ),
      /UpdateKey: .*update_mask.*query parameter/,
    ],
    [
      'a path twice',
      (proto) =>
        edit(methodOptions(proto, 'GetCurrentKey'), http, (rule) =>
          Object.assign(rule, { pattern: { case: 'get', value: '/keys' } }),
        ),
      /GetCurrentKey: another method has the same path/,
    ],
    [
      'streams_when on a method that does not stream',
      (proto) =>
        edit(methodOptions(proto, 'CreateKey'), methodOption, (rule) =>
          Object.assign(rule, { streamsWhen: 'stream' }),
        ),
      /CreateKey: streams_when is for server streams/,
    ],
    [
      'an ETag on a change',
      (proto) =>
        edit(methodOptions(proto, 'CreateKey'), methodOption, (rule) =>
          Object.assign(rule, { revalidates: true }),
        ),
      /only a unary GET/,
    ],
  ];
  for (const [name, change, reason] of keys) {
    it(`such as ${name}`, () => {
      expect(refusal(file_byway_v1_keys, change)).toMatch(reason);
    });
  }

  it('such as two paths that differ in the names of their variables only', () => {
    const reason = refusal(file_byway_v1_byok, (proto) => {
      const pattern = { case: 'get', value: '/byok/{provider}' } as const;
      edit(methodOptions(proto, 'ListByokKeys'), http, (rule) => Object.assign(rule, { pattern: pattern }));
    });
    expect(reason).toMatch(/another method has the same path/);
  });

  it('such as a stream that is chosen by a member that is not a boolean, or has other roles', () => {
    const chosenBy = (member: string) => (proto: FileDescriptorProto) =>
      edit(methodOptions(proto, 'StreamChatCompletion'), methodOption, (rule) =>
        Object.assign(rule, { streamsWhen: member }),
      );
    expect(refusal(file_byway_v1_chat, chosenBy('model'))).toMatch(/streams_when names model/);
    expect(refusal(file_byway_v1_chat, chosenBy('strem'))).toMatch(/streams_when names strem/);
    expect(refusal(file_byway_v1_chat, chosenBy(''))).toMatch(/another method has the same path/);
    const reason = refusal(file_byway_v1_chat, (proto) =>
      edit(methodOptions(proto, 'StreamChatCompletion'), methodOption, (rule) =>
        Object.assign(rule, { roles: [Role.ANONYMOUS] }),
      ),
    );
    expect(reason).toMatch(/must have the roles and the plane of CreateChatCompletion/);
  });

  it('such as a spelling that does not fit its message', () => {
    const messageOptions = (proto: FileDescriptorProto, name: string) =>
      proto.messageType.find((message) => message.name === name)?.options;
    const open = refusal(file_byway_v1_chat, (proto) =>
      edit(messageOptions(proto, 'ChatRequest'), messageOption, (rule) =>
        Object.assign(rule, { openMembers: 'extras' }),
      ),
    );
    expect(open).toMatch(/CreateChatCompletion: .*ChatRequest: open_members names extras/);
    const union = refusal(file_byway_v1_chat, (proto) =>
      edit(messageOptions(proto, 'ContentPart'), messageOption, (rule) =>
        Object.assign(rule, { union: true }),
      ),
    );
    expect(union).toMatch(/ContentPart: union needs exactly one oneof/);
    const list = refusal(file_byway_v1_chat, (proto) =>
      edit(messageOptions(proto, 'ContentPart'), messageOption, (rule) =>
        Object.assign(rule, { bareList: true }),
      ),
    );
    expect(list).toMatch(/ContentPart: bare_list needs exactly one field/);
  });

  it('such as JSON text for a field that is not a string', () => {
    const reason = refusal(file_byway_v1_keys, (proto) => {
      const create = proto.messageType.find(({ name }) => name === 'CreateKeyRequest');
      const limit = create?.field.find(({ name }) => name === 'limit');
      edit(limit?.options, fieldOption, (rule) => Object.assign(rule, { jsonText: true }));
    });
    expect(reason).toMatch(/CreateKey: .*limit: json_text needs a string/);
  });
});
