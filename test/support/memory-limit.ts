import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

/** Where memory of processes can be limited: version 2 of cgroups, or version 1. */
const HIERARCHIES = [
  { root: '/sys/fs/cgroup', limit: 'memory.max', kills: 'memory.events' },
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', kills: 'memory.oom_control' },
] as const;

/** Limits the memory of a process, with its page cache, for as long as it runs. */
export interface MemoryLimit {
  /** How often the kernel has ended a process for exceeding it. */
  kills(): number;
  /** To be called once the process has ended. */
  remove(): void;
}

/** undefined where this process may not limit others: that takes root, and a kernel that has the controller here. */
export function limitMemory(pid: number, bytes: number): MemoryLimit | undefined {
  for (const { root, limit, kills } of HIERARCHIES) {
    const folder = `${root}/byway-test-${pid}`;
    try {
      mkdirSync(folder);
      if (!existsSync(`${folder}/${limit}`)) throw new Error('no memory controller');
      writeFileSync(`${folder}/${limit}`, String(bytes));
      writeFileSync(`${folder}/cgroup.procs`, String(pid));
    } catch {
      if (existsSync(folder)) rmdirSync(folder);
      continue;
    }
    return {
      kills: () => Number(/oom_kill (\d+)/.exec(readFileSync(`${folder}/${kills}`, 'utf8'))?.[1] ?? 0),
      remove: () => rmdirSync(folder),
    };
  }
  return undefined;
}
