import type { DescMessage, JsonObject } from '@bufbuild/protobuf';
import type { FastifyRequest } from 'fastify';
import { JsonText } from '../base/json/json-text.js';
import { SlicedJson } from '../base/json/sliced-json.js';
import { conforms } from '../protobuf/conforms.js';
import { isJsonObject } from '../protobuf/members.js';
import { messageFromJson } from '../protobuf/message-from-json.js';
import { bodyOf, OpenRequest } from '../protobuf/open-request.js';
import type { Aliases, MessageWriter } from '../protobuf/write.js';
import type { Operation } from './operation.js';
import type { RequestReader } from './read-request.js';

/**
 * Reads requests to open methods. A body that conforms to the contract is passed on as it came. Any other is read by
 * `read`, which names everything that is wrong with it, and passed on in the form that the message gives it.
 */
export function openRequestReader(operation: Operation, read: RequestReader): RequestReader {
  const { body, stream, method, rule, query } = operation;
  const ignoresQuery = rule.ignoresUnknownQuery && query.length === 0;
  if (body === undefined) throw new TypeError(`${method.name} takes no body`);
  return function* (request, json) {
    if (
      json === undefined ||
      !(ignoresQuery || isPlain(request)) ||
      !isJsonObject(json) ||
      !conforms(body.message, json)
    ) {
      const { method: called, message } = yield* read(request, json);
      return { method: called, message: new OpenRequest(bodyOf(called, message), message) };
    }
    const isStreamed = stream !== undefined && json[stream.member.name] === true;
    return { method: isStreamed ? stream.method : method, message: new OpenRequest(json) };
  };
}

/** Parameters are the other reader's to refuse. */
function isPlain(request: FastifyRequest): boolean {
  return !request.url.includes('?');
}

/**
 * The writer of answers to open requests, which are JSON already and only need the operator's other names of members.
 */
export function openWriter(desc: DescMessage, aliases: Aliases, write: MessageWriter): MessageWriter {
  if (aliases.size === 0) return (answer) => answer as unknown as JsonObject;
  return (answer: object) =>
    answer instanceof SlicedJson
      ? (answer as unknown as JsonObject)
      : write(messageFromJson(desc, answer instanceof JsonText ? answer.value : answer));
}
