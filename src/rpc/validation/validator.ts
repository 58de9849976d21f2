import type { Validator } from '@bufbuild/protovalidate';
import { once } from '../../base/memory/once.js';

let loaded: Validator | undefined;

/** protovalidate with CEL and RE2, an eighth of the program's code: read when it is first needed, not at the start. */
export const loadValidator: () => Promise<Validator> = once(async () => {
  const { createValidator } = await import('@bufbuild/protovalidate');
  loaded = createValidator();
  return loaded;
});

/** The validator itself once it is loaded. */
export function validatorOrLoading(): Validator | Promise<Validator> {
  return loaded ?? loadValidator();
}
