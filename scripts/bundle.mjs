// The last step of a build: makes the program of dist/src out of src and the packages that it needs, lays the files
// that are read at run time beside it, compiles each module to a file in dist/modules, which tests import, checks the
// packaged catalogue, then marks the build as finished (scripts/prepare.mjs compares the mark's time with the sources').
// See docs/adr/0022-bundle-and-test-workspace.md.
//   node scripts/bundle.mjs [FOLDER [MODULE=REPLACEMENT...]]
// With a folder the program alone goes there, and nothing is marked; a replacement may import what it replaces.
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { checkPackagedCatalog } from './check-catalog.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Left in node_modules: what holds native code, and what is loaded for few or for none. */
const EXTERNAL = [
  'better-sqlite3',
  'pg',
  // Fastify's compilers of JSON schemas, which no route has, and its injected requests, which only tests make.
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
];

/** How both are compiled: what tests import differs from the program in being divided into files alone. */
const COMPILE = {
  cwd: ROOT,
  platform: 'node',
  // What the program does may not hang on what a bundler takes for pure: a call for its exception alone is one.
  treeshake: false,
};
const WRITE = {
  sourcemap: true,
  sourcemapExcludeSources: true,
  // By default dead code goes, by what the minifier takes for pure.
  minify: false,
  comments: { legal: true, annotation: false, jsdoc: false },
};

const MODULES = 'dist/modules';

/** The folder of all files but the entries. */
const CHUNKS = 'chunks';

/**
 * What commands share, each with all that it imports: few files, of which a command reads those that it needs. The
 * higher takes what both would.
 */
const GROUPS = [
  {
    name: 'program',
    test: /\/node_modules\/commander\/|\/src\/cli\/support\/package-file\.ts$/,
    priority: 4,
  },
  { name: 'failures', test: /\/src\/cli\/output\/failure\.ts$/, priority: 3 },
  { name: 'store', test: /\/src\/store\/stores\.ts$/, priority: 2 },
  { name: 'gateway', test: /\/src\/cli\/support\/with-gateway\.ts$/, priority: 1 },
  { name: 'shared', test: /\/src\/(?!cli\/output\/)/, minShareCount: 2, priority: 0 },
];

/** What modules read beside themselves. Threads are files of their own; the catalogue comes with its notice. */
const ASSETS = [
  'catalog/data',
  'store/engine/sqlite/threads/checkpoint-worker.mjs',
  'store/engine/sqlite/threads/report-worker.mjs',
];

const [folder, ...replacements] = argv.slice(2).map((path) => path.split('=').map((side) => resolve(side)));
process.chdir(ROOT);
if (folder === undefined) {
  await bundle('dist/src', new Map());
  await compileModules();
  await checkPackagedCatalog();
  writeFileSync('dist/.built', '');
} else {
  await bundle(folder[0], new Map(replacements));
}

/** Writes the program to the folder, with these modules in the places of others. */
async function bundle(folder, replacements) {
  const built = await rolldown({
    ...COMPILE,
    input: { main: 'src/main.ts' },
    external: EXTERNAL,
    plugins: replacements.size > 0 ? [replacing(replacements)] : [],
  });
  rmSync(join(folder, CHUNKS), { recursive: true, force: true });
  await built.write({
    ...WRITE,
    dir: folder,
    codeSplitting: { groups: GROUPS },
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
  });
  await built.close();
  // All modules are in the folder of chunks now, so what is beside any of them is there too.
  for (const path of ASSETS)
    cpSync(join('src', path), join(folder, CHUNKS, basename(path)), { recursive: true });
}

/** Every module but the dashboard's, which Vite makes; packages stay in node_modules. */
async function compileModules() {
  const built = await rolldown({
    ...COMPILE,
    input: ['src', 'gen'].flatMap(modulesIn).filter((path) => !path.startsWith('src/dashboard/')),
    external: (specifier) => !specifier.startsWith('.') && !isAbsolute(specifier),
  });
  rmSync(MODULES, { recursive: true, force: true });
  await built.write({
    ...WRITE,
    dir: MODULES,
    preserveModules: true,
    preserveModulesRoot: '.',
    entryFileNames: '[name].js',
  });
  await built.close();
  for (const path of ASSETS) cpSync(join('src', path), join(MODULES, 'src', path), { recursive: true });
}

/** The paths of the TypeScript modules below a folder, with `/` between their parts. */
function modulesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'));
}

function replacing(replacements) {
  return {
    name: 'replacements',
    async resolveId(specifier, importer, options) {
      const found = await this.resolve(specifier, importer, { ...options, skipSelf: true });
      const replacement = replacements.get(found?.id);
      return replacement === undefined || replacement === importer ? found : replacement;
    },
  };
}
