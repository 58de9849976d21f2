import { create } from '@bufbuild/protobuf';
import { parsePath } from '@bufbuild/protobuf/reflect';
import { createValidator } from '@bufbuild/protovalidate';
import { describe, expect, it } from 'vitest';
import { ByokService, UpdateByokKeyRequestSchema } from '../../gen/byway/v1/byok_pb.js';
import { ChatService, CreateChatCompletionRequestSchema } from '../../gen/byway/v1/chat_pb.js';
import { CreateKeyRequestSchema, KeyService, UpdateKeyRequestSchema } from '../../gen/byway/v1/keys_pb.js';
import { restFieldPath } from '../../src/protobuf/field-path.js';

describe('the path of a broken rule is spelled as REST callers know it', () => {
  it('without the field that the body is', () => {
    const { updateKey, createKey } = KeyService.method;
    expect(restFieldPath(parsePath(UpdateKeyRequestSchema, 'key.name'), updateKey)).toBe('name');
    expect(restFieldPath(parsePath(UpdateKeyRequestSchema, 'key'), updateKey)).toBe('key');
    expect(restFieldPath(parsePath(UpdateKeyRequestSchema, 'update_mask.paths[0]'), updateKey)).toBe(
      'update_mask.paths[0]',
    );
    expect(restFieldPath(parsePath(CreateKeyRequestSchema, 'name'), createKey)).toBe('name');
  });

  it('without the wrapper of a bare list', () => {
    const path = parsePath(UpdateByokKeyRequestSchema, 'byok_key.allowed_api_key_hashes.values[3]');
    expect(restFieldPath(path, ByokService.method.updateByokKey)).toBe('allowed_api_key_hashes[3]');
  });

  it('without the forms of a union', () => {
    const method = ChatService.method.createChatCompletion;
    const spell = (path: string) => restFieldPath(parsePath(CreateChatCompletionRequestSchema, path), method);
    expect(spell('chat.messages[2].content.parts.values[1].type')).toBe('messages[2].content[1].type');
    expect(spell('chat.provider.max_price.prompt.text')).toBe('provider.max_price.prompt');
    expect(spell('chat.stop.form')).toBe('stop');
  });

  it('as protovalidate reports it', () => {
    const request = create(CreateChatCompletionRequestSchema, {
      chat: {
        messages: [
          { role: 'nobody', content: { form: { case: 'parts', value: { values: [{ type: '' }] } } } },
        ],
      },
    });
    const { violations } = createValidator().validate(CreateChatCompletionRequestSchema, request);
    const paths = violations?.map(({ field }) =>
      restFieldPath(field, ChatService.method.createChatCompletion),
    );
    expect(paths).toContain('messages[0].role');
    expect(paths).toContain('messages[0].content[0].type');
  });
});
