import { posix } from 'node:path';
import { fault, type SourceFile } from './sources.js';

/** What one unit (a folder of src, or a file right in it) may import; Node's own modules are free to all. */
interface Allowance {
  /** Other units of src, and `gen` for the generated code. */
  readonly units: readonly string[];
  /** npm packages; a trailing `/*` stands for every package of a scope. */
  readonly packages: readonly string[];
}

const PARTS = [
  'catalog',
  'formats',
  'ledger',
  'receipts',
  'identity',
  'accounts',
  'byok',
  'routing',
  'inference',
  'batch',
];
const SCHEMA = ['@bufbuild/*'];
const RPC = [...SCHEMA, '@connectrpc/*'];
const PAGE = ['react', 'react-dom', '@tanstack/*', '@dnd-kit/*', 'recharts', 'vite', '@vitejs/*'];
const EVERYTHING: Allowance = { units: ['*'], packages: ['*'] };

/** Who may import whom (architecture: imports run one way). A unit that is not listed may not exist. */
const ARROWS: Readonly<Record<string, Allowance>> = {
  base: { units: [], packages: [] },
  ...partArrows(),
  store: { units: ['base', ...PARTS], packages: ['kysely', 'better-sqlite3', 'pg'] },
  providers: { units: ['base', ...PARTS], packages: ['undici', 'eventsource-parser', 'js-tiktoken'] },
  protobuf: { units: ['base', 'gen'], packages: SCHEMA },
  http: { units: ['base', 'gen', 'protobuf'], packages: [...RPC, 'fastify'] },
  rest: { units: ['base', 'gen', 'protobuf', 'http'], packages: [...RPC, 'fastify'] },
  rpc: { units: ['base', 'gen', 'protobuf', ...PARTS], packages: RPC },
  server: {
    units: ['base', 'gen', 'protobuf', 'http', 'rest', 'rpc', 'config', 'identity'],
    packages: [...RPC, 'fastify', 'prom-client'],
  },
  dashboard: { units: ['gen'], packages: [...RPC, ...PAGE] },
  client: { units: ['base', 'gen'], packages: RPC },
  config: { units: ['base'], packages: [] },
  compose: EVERYTHING,
  cli: EVERYTHING,
  main: EVERYTHING,
};

/** The parts from the lowest up: each may import those before it, but for inference and batch, which stand side by side. */
function partArrows(): Record<string, Allowance> {
  const arrows = PARTS.map((part, index): [string, Allowance] => {
    const below = PARTS.slice(0, index).filter((lower) => !(part === 'batch' && lower === 'inference'));
    return [part, { units: ['base', ...below], packages: [] }];
  });
  return Object.fromEntries(arrows);
}

/** Every import of the file that its unit may not have. */
export function brokenArrows(file: SourceFile): string[] {
  const unit = unitOf(file.path);
  const allowance = ARROWS[unit];
  if (allowance === undefined) return [fault(file, 1, `"${unit}" has no place in the table of arrows`)];
  return importsOf(file)
    .filter(
      ({ specifier }) => !specifier.startsWith('node:') && !allows(allowance, file.path, unit, specifier),
    )
    .map(({ specifier, line }) => fault(file, line, `${unit} may not import ${specifier}`));
}

function allows(allowance: Allowance, path: string, unit: string, specifier: string): boolean {
  if (!specifier.startsWith('.')) return allowance.packages.some((name) => covers(name, specifier));
  const target = unitOf(posix.join(posix.dirname(path), specifier));
  return target === unit || allowance.units.includes('*') || allowance.units.includes(target);
}

function covers(name: string, specifier: string): boolean {
  if (name.endsWith('*')) return specifier.startsWith(name.slice(0, -1));
  return specifier === name || specifier.startsWith(`${name}/`);
}

/** `src/identity/update.ts` is of `identity`, `src/main.ts` of `main`, `gen/byway/v1/keys_pb.ts` of `gen`. */
function unitOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'src' ? second.replace(/\.[a-z]+$/, '') : top;
}

const STATEMENT =
  /^(?:import|export)\s+(?:type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?|\w+(?:\s*,\s*(?:\{[^}]*\}|\*\s+as\s+\w+))?)\s+from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;

/** Static, side-effect, re-exporting, type-only and dynamic imports with the line they start on. */
export function importsOf(file: SourceFile): { specifier: string; line: number }[] {
  return [...file.text.matchAll(STATEMENT)].map((match) => ({
    specifier: match[1] ?? match[2] ?? match[3] ?? '',
    line: file.text.slice(0, match.index).split('\n').length,
  }));
}
