/** Password files as libpq reads them (https://www.postgresql.org/docs/17/libpq-pgpass.html). */
import { readFile, stat } from 'node:fs/promises';

/** What a line of the file is compared with. */
export interface PassfileEntry {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** The password in the file; undefined when it has none, can't be read, or others may read it too. */
export async function passwordIn(file: string, sought: PassfileEntry): Promise<string | undefined> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) return undefined;
    const fields = [sought.host, String(sought.port), sought.database, sought.user];
    for (const line of (await readFile(file, 'utf8')).split(/\r?\n/)) {
      if (line.startsWith('#')) continue;
      const parts = fieldsOf(line);
      if (parts.length < 5) continue;
      if (fields.every((field, index) => parts[index] === '*' || parts[index] === field)) return parts[4];
    }
    return undefined;
  } catch {
    return undefined;
  }
}

/** Separated by colons; a backslash takes the next character as it is. */
function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  let field = '';
  for (let index = 0; index < line.length; index++) {
    const character = line[index];
    if (character === ':' && fields.length < 4) {
      fields.push(field);
      field = '';
    } else field += character === '\\' && index + 1 < line.length ? line[++index] : character;
  }
  return [...fields, field];
}
