/** What the system says of files most often, in words. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use it',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk fails',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
  EMFILE: 'this process has too many files open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is no folder',
  EPERM: 'this user may not use it',
  EROFS: 'its file system is read-only',
};

/** What is wrong with the file, with its path and the system's code, in one line for whoever runs the gateway. */
export function describeFileError(path: string, error: unknown): string {
  const code = systemCode(error) ?? 'unknown error';
  const words = WORDS[code];
  return words === undefined ? `${path} (${code})` : `${path}: ${words} (${code})`;
}

/** The code of an error of the operating system, such as `ENOENT`; undefined for any other. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return 'syscall' in error ? error.code : undefined;
}
