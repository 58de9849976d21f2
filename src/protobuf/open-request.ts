import type { DescMethod, JsonObject, Message } from '@bufbuild/protobuf';
import { fieldMembersOf } from './members.js';
import { writeMessage } from './write.js';

/**
 * A request to a method whose body is passed on as JSON, to the handler and to the provider. It is answered in the REST
 * JSON of the method's output.
 */
export class OpenRequest implements Message {
  readonly $typeName = 'byway.OpenRequest';
  readonly body: JsonObject;
  /** What the body was read into; undefined where the body `conforms` to the contract as it is. */
  readonly message: Message | undefined;

  constructor(body: JsonObject, message?: Message) {
    this.body = body;
    this.message = message;
  }
}

/** The JSON of the body, which a message is made into once. */
export function bodyOf({ input }: DescMethod, request: Message | OpenRequest): JsonObject {
  if (request instanceof OpenRequest) return request.body;
  const known = bodies.get(request);
  if (known !== undefined) return known;
  const [field] = input.fields;
  if (input.fields.length !== 1 || field?.fieldKind !== 'message')
    throw new TypeError(`${input.typeName} must hold one message and nothing else`);
  const held = fieldMembersOf(request)[field.localName] as Message | undefined;
  const body = held === undefined ? {} : writeMessage(field.message, held);
  bodies.set(request, body);
  return body;
}

const bodies = new WeakMap<Message, JsonObject>();
