// Takes the steps of deploy/Dockerfile in empty folders, one for each stage, and then starts what the image would start: no
// daemon of containers is needed, and no image is built. Absolute paths are those below a stage's folder; what Debian's
// packages bring is taken from this machine. Needs a registry, for `npm ci`.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';
import { keysOfFirstStart, startServer, stopServer, untilReady } from './serving.mjs';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const IS_ROOT = process.getuid?.() === 0;
/** Of the context all but what .dockerignore lets in is left out. */
const CONTEXT = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

const folder = mkdtempSync(join(tmpdir(), 'byway-image-'));
chmodSync(folder, 0o755);
let server;
try {
  const image = takeSteps(instructionsIn(readFileSync('deploy/Dockerfile', 'utf8')));
  await tryOut(image);
  console.log('the steps of deploy/Dockerfile make what serves; no image was built');
} finally {
  server?.process.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function instructionsIn(text) {
  return text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, word, rest] = /^([A-Z]+) (.*)$/.exec(line);
      return { word, rest };
    });
}

/** Returns the last stage. */
function takeSteps(instructions) {
  const stages = new Map();
  let stage;
  const steps = {
    arg: () => undefined,
    volume: () => undefined,
    expose: () => undefined,
    from(rest) {
      const [base, , name = 'last'] = rest.split(' ');
      const root = join(folder, name);
      const from = stages.get(base);
      mkdirSync(root);
      if (from !== undefined) cpSync(from.root, root, { recursive: true, verbatimSymlinks: true });
      stage = { root, cwd: from?.cwd ?? '/', env: { ...from?.env } };
      stages.set(name, stage);
    },
    workdir(rest) {
      stage.cwd = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
    },
    env(rest) {
      for (const pair of rest.split(' ')) {
        const [name, value] = pair.split('=');
        stage.env[name] = value.startsWith('/') ? join(stage.root, value) : value;
      }
    },
    copy(rest) {
      const paths = rest.split(' ').filter((word) => !word.startsWith('--'));
      const from = /--from=(\S+)/.exec(rest)?.[1];
      const to = paths.pop();
      for (const path of paths) copy(from === undefined ? undefined : stages.get(from), path, to);
    },
    run(rest) {
      if (rest.startsWith('apt-get')) return console.log(`left out: ${rest}`);
      console.log(`RUN ${rest}`);
      const inside = rest.replace(/(?<=\s)\/(?=(?:app|data|usr)\b)/g, `${stage.root}/`);
      mkdirSync(join(stage.root, 'usr/local/bin'), { recursive: true });
      // Quick to compile rather than quick.
      const env = { ...process.env, ...stage.env, CFLAGS: '-O0', CXXFLAGS: '-O0', JOBS: 'max' };
      const command = IS_ROOT ? inside : inside.replace(/chown \S+/g, 'ls -d');
      execFileSync('sh', ['-c', command], { cwd: join(stage.root, stage.cwd), env, stdio: 'inherit' });
    },
    user(rest) {
      stage.user = Number(rest.split(':')[0]);
    },
    healthcheck(rest) {
      stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4));
    },
    entrypoint(rest) {
      stage.entrypoint = JSON.parse(rest);
    },
    cmd(rest) {
      stage.command = JSON.parse(rest);
    },
  };
  for (const { word, rest } of instructions) {
    const step = steps[word.toLowerCase()];
    if (step === undefined) throw new Error(`deploy/Dockerfile has ${word}, which nothing here takes`);
    step(rest);
  }
  return stage;

  function copy(from, path, to) {
    const sources = path === '.' ? CONTEXT : [path];
    for (const source of sources) {
      if (from === undefined && !CONTEXT.includes(source)) throw new Error(`${source} is not in the context`);
      const isFolder = to.endsWith('/') || to === '.';
      const target = join(stage.root, stage.cwd, isFolder ? join(to, basename(source)) : to);
      cpSync(from === undefined ? source : join(from.root, source), target, {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
}

/** Starts it as its user, probes it as Docker would, and calls the command line beside it. */
async function tryOut({ root, cwd, env, user, healthcheck, entrypoint, command }) {
  const port = await freePort();
  const options = {
    cwd: join(root, cwd),
    env: {
      ...env,
      PATH: `${join(root, 'usr/local/bin')}:${process.env.PATH}`,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
    ...(IS_ROOT && { uid: user, gid: user }),
  };
  if (IS_ROOT) chownSync(env.BYWAY_DATA_DIR, user, user);
  const [program, ...args] = [...entrypoint, ...command];
  server = startServer(program, args, options);
  await keysOfFirstStart(server, env.BYWAY_DATA_DIR);
  await untilReady(server, `http://127.0.0.1:${port}/readyz`);
  const [probe, ...probeArgs] = healthcheck;
  execFileSync(probe, probeArgs, options);
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  if (!page.includes('/assets/')) throw new Error('the dashboard is not in the image');
  const backup = ['db', 'backup', join(env.BYWAY_DATA_DIR, 'backup.db')];
  console.log(execFileSync('byway', backup, { ...options, encoding: 'utf8' }).trim());
  await stopServer(server);
}
