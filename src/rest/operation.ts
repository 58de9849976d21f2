import type {
  DescEnum,
  DescField,
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
} from '@bufbuild/protobuf';
import type { MethodRule } from '../../gen/byway/options/v1/options_pb.js';
import type { HttpMethod } from './http-rule.js';

/** The path that all REST operations are under. */
export const REST_ROOT = '/api/v1';

/** A piece of the path that names something. */
export interface PathParameter {
  /** Its name in the path: that of the last field. */
  readonly name: string;
  /** The fields from the request message down to the value. */
  readonly fields: readonly DescField[];
  /** The enum whose spellings the value may have; any other text names no resource. */
  readonly enum: DescEnum | undefined;
}

/** What the JSON body is read into. */
export interface Body {
  /** The field of the request message; undefined when the body is the whole request. */
  readonly field: (DescField & { readonly fieldKind: 'message' }) | undefined;
  /** The message that is read. */
  readonly message: DescMessage;
  /** Members of the message that come from the path. */
  readonly without: ReadonlySet<string>;
}

/** The streaming method that shares the path of a unary one. */
export interface StreamPartner {
  readonly method: DescMethodServerStreaming;
  /** The boolean member of the body that chooses it. */
  readonly member: DescField;
}

/** One REST operation, for the REST plugin, the request guard and the OpenAPI document. */
export interface Operation {
  /** Name of the method; unique among all services. */
  readonly id: string;
  readonly httpMethod: HttpMethod;
  /** Below the root, with variables as `{hash}`. */
  readonly path: string;
  /** From the root of the server, with variables as `:hash`. */
  readonly fastifyPath: string;
  /** A server stream that stands alone answers with JSON lines. */
  readonly method: DescMethodUnary | DescMethodServerStreaming;
  readonly rule: MethodRule;
  /** HTTP status of success. */
  readonly successStatus: number;
  readonly pathParameters: readonly PathParameter[];
  readonly query: readonly DescField[];
  readonly body: Body | undefined;
  /** The FieldMask field that is derived from the members present in the body. */
  readonly mask: DescField | undefined;
  readonly stream: StreamPartner | undefined;
  /** The query parameter that chooses how a stream is written; JSON lines without it. */
  readonly exportFormat: DescField | undefined;
}
