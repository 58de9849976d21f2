import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** How a script ended and what it printed. */
export interface Ended {
  readonly code: number | string | null;
  readonly output: string;
}

/** A throw-away checkout of a small project, with copies of this project's scripts. */
export class Checkout {
  readonly root = mkdtempSync(join(tmpdir(), 'byway-checkout-'));

  /** `files`: path to text; `.sh` files in `bin/` become commands that the scripts find first. */
  constructor(scripts: readonly string[], files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    mkdirSync(join(this.root, 'scripts'), { recursive: true });
    for (const script of scripts) copyFileSync(join('scripts', script), join(this.root, 'scripts', script));
  }

  write(path: string, text: string): void {
    const target = join(this.root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    if (path.startsWith('bin/')) chmodSync(target, 0o755);
  }

  /** Sets when a file was last changed, in seconds from now. */
  touch(path: string, fromNowSeconds: number): void {
    const at = Date.now() / 1000 + fromNowSeconds;
    utimesSync(join(this.root, path), at, at);
  }

  /** Runs a script of the checkout from elsewhere, with the commands of `bin/`. */
  run(script: string, ...args: readonly string[]): Promise<Ended> {
    const env = { ...process.env, PATH: `${join(this.root, 'bin')}${delimiter}${process.env.PATH ?? ''}` };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(this.root, 'scripts', script), ...args],
        { cwd: tmpdir(), env },
        (error, out, err) => resolve({ code: error === null ? 0 : (error.code ?? null), output: out + err }),
      );
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
