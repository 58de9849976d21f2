import type { DescService } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';

/** A service of the contract with what implements it. */
export interface Served<S extends DescService = DescService> {
  readonly service: S;
  readonly implementation: ServiceImpl<S>;
}

/** Binds an implementation to its service; the compiler checks that no method is missing. */
export function served<S extends DescService>(service: S, implementation: ServiceImpl<S>): Served<S> {
  return { service, implementation };
}
