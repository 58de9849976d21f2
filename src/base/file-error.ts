/** Messages by the error code of the system. */
const MESSAGES: Readonly<Record<string, string>> = {
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

/** One line for the operator, with the path and the system's error code. */
export function describeFileError(path: string, error: unknown): string {
  const code = systemCode(error) ?? 'unknown error';
  const message = MESSAGES[code];
  return message === undefined ? `${path} (${code})` : `${path}: ${message} (${code})`;
}

/** The code of an error of the operating system, such as `ENOENT`; undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return 'syscall' in error ? error.code : undefined;
}
