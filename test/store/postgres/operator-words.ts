import { expect } from 'vitest';
import { openDatabase } from '../../../src/store/open.js';

/** What an operator reads instead of a database. */
export async function words(url: string, directUrl?: string): Promise<string> {
  const opened = openDatabase(url, { directUrl: directUrl ?? null });
  const message = await opened.then(
    async (database) => {
      await database.close();
      return 'opened';
    },
    (error: Error) => error.message,
  );
  expect(message).not.toContain('hunter2');
  expect(message).not.toContain('\n');
  return message;
}
