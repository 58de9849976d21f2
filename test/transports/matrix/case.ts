import { create, type DescMethod, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import type { TransportKind } from './client.js';
import type { Failure } from './outcome.js';
import type { World } from './world.js';

/** One call and its expected outcome, over any transport. */
export interface Case {
  readonly name: string;
  readonly method: DescMethod;
  /** Transports over which the call can be made at all. */
  readonly kinds: readonly TransportKind[];
  /** Nano-USD of credits of the account; 10 USD when undefined. */
  readonly credits: bigint | undefined;
  readonly secret: (world: World) => string | null | Promise<string | null>;
  readonly message: (world: World) => Promise<Message>;
  /** Part of the first message of an answer, or of the last one of a stream. */
  readonly answer: object | undefined;
  readonly failure: Partial<Failure> | undefined;
}

interface Call<M extends DescMethod> {
  readonly as: (world: World) => string | null | Promise<string | null>;
  readonly ask: (world: World) => MessageInitShape<M['input']> | Promise<MessageInitShape<M['input']>>;
  readonly kinds?: readonly TransportKind[];
  readonly credits?: bigint;
}

/** A call that must be answered; `part` of the last message of the answer is given in REST spelling. */
export function answers<M extends DescMethod>(method: M, name: string, call: Call<M>, part: object): Case {
  return { ...caseOf(method, name, call), answer: part, failure: undefined };
}

/** A call that must fail; for a broken stream only `status` and `message` are given. */
export function fails<M extends DescMethod>(
  method: M,
  name: string,
  call: Call<M>,
  part: Partial<Failure>,
): Case {
  return { ...caseOf(method, name, call), answer: undefined, failure: part };
}

/** Who calls. */
export const by = {
  nobody: () => null,
  apiKey: ({ account }: World) => account.apiKey,
  manager: ({ account }: World) => account.managementKey,
  client: async (world: World) => (await world.addClient()).secret,
};

/** All kinds of transports but REST, where the call can't be spelled. */
export const RPC_ONLY: readonly TransportKind[] = ['rpc', 'in_process'];

/** The identifier of nothing. */
export const NO_ID = '00000000-0000-4000-8000-000000000000';

/** The failure for a resource that does not exist, or that the caller may not see. */
export const NOT_FOUND = { status: 404, message: 'Resource not found', reason: 'not_found', violations: [] };

function caseOf<M extends DescMethod>(method: M, name: string, call: Call<M>) {
  return {
    name: `${method.name}: ${name}`,
    method,
    credits: call.credits,
    secret: call.as,
    kinds: call.kinds ?? (['rest', 'rpc', 'in_process'] as const),
    message: async (world: World) => create<DescMethod['input']>(method.input, await call.ask(world)),
  };
}
