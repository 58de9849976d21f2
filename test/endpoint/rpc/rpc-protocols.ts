import { create, toBinary, toJsonString } from '@bufbuild/protobuf';
import { CreateKeyRequestSchema } from '../../../gen/byway/v1/keys_pb.js';
import type { TestGateway } from '../../support/gateway.js';
import { callRaw, enveloped, type RawAnswer } from '../../support/raw-rpc.js';

const asIs = (bytes: Uint8Array) => bytes;

/** The protocols of unary calls by content type: how a message is framed, and the headers that name encodings. */
export const UNARY = [
  { contentType: 'application/json', pack: asIs, names: 'content-encoding', accepts: 'accept-encoding' },
  { contentType: 'application/proto', pack: asIs, names: 'content-encoding', accepts: 'accept-encoding' },
  ...['application/grpc', 'application/grpc+proto', 'application/grpc+json', 'application/grpc-web'].map(
    grpc,
  ),
  ...['application/grpc-web+proto', 'application/grpc-web+json'].map(grpc),
];

function grpc(contentType: string) {
  const pack = (bytes: Uint8Array, flags = 0) => enveloped(bytes, flags);
  return { contentType, pack, names: 'grpc-encoding', accepts: 'grpc-accept-encoding' };
}

export type RpcProtocol = (typeof UNARY)[number];

export const isJson = ({ contentType }: Pick<RpcProtocol, 'contentType'>) => contentType.endsWith('json');
export const BINARY = UNARY.filter((protocol) => !isJson(protocol));

/** Protocols with enveloped messages. */
export const ENVELOPED = UNARY.filter(({ names }) => names === 'grpc-encoding');

/** Calls the gateway, by default with its management key. */
export function callerOn(gateway: () => TestGateway) {
  return (
    method: string,
    { contentType }: Pick<RpcProtocol, 'contentType'>,
    body: Uint8Array,
    headers: Readonly<Record<string, string>> = {},
    secret = gateway().managementKey,
  ): Promise<RawAnswer> =>
    callRaw({
      url: `${gateway().url}/byway.v1.${method}`,
      contentType,
      body,
      headers: { authorization: `Bearer ${secret}`, ...headers },
    });
}

/** A request to create a key, in the protocol's format. */
export function newKey(protocol: RpcProtocol, name: string): Uint8Array {
  const message = create(CreateKeyRequestSchema, { name });
  if (isJson(protocol)) return Buffer.from(toJsonString(CreateKeyRequestSchema, message));
  return toBinary(CreateKeyRequestSchema, message);
}
