import type { Plugin } from 'vitest/config';

/** Builds where a build is due; not again in processes that this one starts. */
export function build(): void;

/** Puts the compiled modules in the places of the sources that tests import. */
export function builtModules(): Plugin;

/** Paths that Node imports as they are. */
export const COMPILED_MODULES: RegExp;
