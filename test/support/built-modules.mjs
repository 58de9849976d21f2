// A plugin of Vite and of vitest by which tests import the compiled modules of dist/modules in the places of the sources:
// what they run is what ships. See docs/adr/0022-bundle-and-test-workspace.md.
import { execFileSync } from 'node:child_process';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const MODULES = join(ROOT, 'dist', 'modules');

/** Vite builds the dashboard, so it stays with its sources. */
const COMPILED = /^(?:src|gen)\/(?!dashboard\/).*\.js$/;

export const COMPILED_MODULES = /\/dist\/modules\//;

/** Builds where a build is due; not again in processes that this one starts. */
export function build() {
  if (process.env.TESTS_ARE_BUILT !== undefined) return;
  process.env.TESTS_ARE_BUILT = '1';
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'prepare.mjs'), 'test'], { stdio: 'inherit' });
}

export function builtModules() {
  // Whoever watches changes sources and wants to see what that does.
  let watches = false;
  return {
    name: 'built-modules',
    enforce: 'pre',
    configureVitest({ vitest }) {
      watches = vitest.config.watch;
    },
    resolveId(specifier, importer) {
      if (watches || importer === undefined || !specifier.startsWith('.')) return null;
      const path = relative(ROOT, resolve(dirname(importer), specifier)).replaceAll('\\', '/');
      return COMPILED.test(path) ? join(MODULES, path) : null;
    },
  };
}
