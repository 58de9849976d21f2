/** The conformance suite's protocol, from a descriptor set that is made of the suite's own files when it is run. */
import { readFileSync } from 'node:fs';
import {
  createFileRegistry,
  type DescMessage,
  type DescService,
  type FileRegistry,
  fromBinary,
  type Message,
} from '@bufbuild/protobuf';
import { type Any, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

const PACKAGE = 'connectrpc.conformance.v1';

/** The suite's settings for a server under test (`server_compat.proto`). */
export interface ServerCompatRequest extends Message {
  readonly useTls: boolean;
  readonly messageReceiveLimit: number;
  readonly serverCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array };
}

/** A header or trailer (`service.proto`). */
export interface SuiteHeader {
  readonly name: string;
  readonly value: readonly string[];
}

interface SuiteError {
  readonly code: number;
  readonly message?: string;
  readonly details: readonly Any[];
}

/** What a call is to answer. */
export interface Definition {
  readonly responseHeaders: readonly SuiteHeader[];
  readonly responseTrailers: readonly SuiteHeader[];
  readonly responseDelayMs: number;
}

/** What a unary call is to answer. */
export interface UnaryDefinition extends Definition {
  readonly response:
    | { readonly case: 'responseData'; readonly value: Uint8Array }
    | { readonly case: 'error'; readonly value: SuiteError }
    | { readonly case: undefined; readonly value?: undefined };
}

/** What a server stream is to answer. */
export interface StreamDefinition extends Definition {
  readonly responseData: readonly Uint8Array[];
  readonly error?: SuiteError;
}

/** The suite's types by their names within its package. */
export interface Schema {
  readonly registry: FileRegistry;
  readonly service: DescService;
  message(name: string): DescMessage;
}

/** Reads a descriptor set. */
export function readSchema(file: string): Schema {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(file)));
  const service = registry.getService(`${PACKAGE}.ConformanceService`);
  if (service === undefined) throw new Error(`${file} does not describe the conformance service`);
  return {
    registry,
    service,
    message(name) {
      const found = registry.getMessage(`${PACKAGE}.${name}`);
      if (found === undefined) throw new Error(`${file} does not describe ${name}`);
      return found;
    },
  };
}
