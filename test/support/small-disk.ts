import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills it to the last byte. */
  fill(): void;
  free(): void;
  remove(): void;
}

const PIECE = Buffer.alloc(64 * 1024);

/** Mounts one of that size; undefined where this user may not mount. */
export function makeSmallDisk(mebibytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'byway-disk-'));
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', folder];
    execFileSync('mount', options, { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => writeUntilFull(filler),
    free: () => rmSync(filler),
    remove() {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

function writeUntilFull(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (;;) writeSync(descriptor, PIECE);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(descriptor);
  }
}
