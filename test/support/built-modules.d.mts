import type { Plugin } from 'vitest/config';

/** Puts the compiled modules in the places of the sources that tests import. */
export function builtModules(): Plugin;

/** Paths that Node imports as they are. */
export const COMPILED_MODULES: RegExp;
