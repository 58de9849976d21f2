import { beforeAll, expect, it } from 'vitest';
import { buildByway, byway, emptyDataDir } from '../support/byway.js';

beforeAll(buildByway, 180_000);

/** Takes away what the first line of code needs that sets up the commands. */
const BROKEN = { NODE_OPTIONS: '--import data:text/javascript,Array.prototype.at=null' };

it('the stack trace of a mistake names functions, files and lines of the sources', async () => {
  const ended = await byway(['account', 'list'], { ...BROKEN, BYWAY_DATA_DIR: emptyDataDir() });
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(/^TypeError: .*\n {4}at runByway \(\S+\/src\/cli\/byway\.ts:\d+:\d+\)$/m);
  expect(ended.stderr).not.toContain('dist/src/chunks');
});
