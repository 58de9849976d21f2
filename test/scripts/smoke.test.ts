import { afterEach, describe, expect, it } from 'vitest';
import { Checkout, type Ended } from './checkout.js';

/** A fake server: writes keys like a first start, is ready, and echoes the credential of a call. */
const SERVER = `
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
const server = createServer((request, response) => {
  if (request.url === '/api/v1/refused') return response.end('{"error": {"code": 401}}');
  response.end(JSON.stringify({ url: request.url, authorization: request.headers.authorization }));
});
server.listen(process.env.PORT, process.env.HOST, () => {
  const keys = {
    api_key: 'bw-v1-${'a'.repeat(64)}',
    management_key: 'bw-mgmt-${'b'.repeat(64)}',
    operator_key: 'bw-op-${'c'.repeat(64)}',
  };
  const file = process.env.BYWAY_DATA_DIR + '/first-start.json';
  writeFileSync(file, JSON.stringify(keys));
  console.log('Its keys are in ' + file + PRINTED);
});
process.on('SIGTERM', () => process.exit(process.argv[2] === 'serve' ? EXIT_CODE : 9));
`;

describe('the smoke test runs the README', () => {
  let checkout: Checkout;

  afterEach(() => checkout.remove());

  it('runs the marked blocks as one script with the keys of the first start and stops the server', async () => {
    const ended = await smoke([
      ['export API_KEY=bw-v1-...', 'export SLUG=demo', 'echo "got $MANAGEMENT_KEY and $OPERATOR_KEY"'],
      ['curl -s "$BASE_URL/models/$SLUG" -H "Authorization: Bearer $API_KEY"'],
    ]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.output).toContain(`got bw-mgmt-${'b'.repeat(64)} and bw-op-${'c'.repeat(64)}`);
    expect(ended.output).toContain('"url":"/api/v1/models/demo"');
    expect(ended.output).toContain(`Bearer bw-v1-${'a'.repeat(64)}`);
    expect(ended.output).not.toContain('unmarked');
    expect(ended.output).toMatch(/^prepared\n/);
  });

  it('fails when a command of a block fails, and names the block', async () => {
    const ended = await smoke([['true'], ['false | cat']]);
    expect(ended).toMatchObject({ code: 1, output: expect.stringMatching(/block at README\.md:10 failed/) });
  });

  it('fails when a block prints an error, although every command succeeds', async () => {
    const ended = await smoke([['curl -s "$BASE_URL/refused"'], ['true']]);
    expect(ended).toMatchObject({
      code: 1,
      output: expect.stringContaining('README.md:5 answered with an error'),
    });
  });

  it('fails when the server does not end well', async () => {
    const ended = await smoke([['true']], 3);
    expect(ended).toMatchObject({ code: 1, output: expect.stringContaining('exit code 3 instead of 0') });
  });

  it('fails when the server prints a key where no terminal is', async () => {
    const ended = await smoke([['true']], 0, `bw-op-${'c'.repeat(64)}`);
    expect(ended).toMatchObject({
      code: 1,
      output: expect.stringContaining('the first start printed a key'),
    });
  });

  it('fails when nothing is marked', async () => {
    const ended = await smoke([]);
    expect(ended).toMatchObject({ code: 1, output: expect.stringContaining('no block marked') });
  });

  function smoke(blocks: readonly (readonly string[])[], exitCode = 0, printed = ''): Promise<Ended> {
    const marked = blocks.map((lines) => `<!-- smoke -->\n\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`);
    checkout = new Checkout(['smoke.mjs', 'readme-blocks.mjs', 'serving.mjs', 'free-port.mjs'], {
      'package.json': '{"type": "module"}',
      'scripts/prepare.mjs': "console.log('prepared');",
      'README.md': ['```sh\necho unmarked\n```\n', ...marked].join('\n'),
      'dist/src/main.js': SERVER.replace('EXIT_CODE', String(exitCode)).replace(
        'PRINTED',
        JSON.stringify(`, ${printed}`),
      ),
    });
    return checkout.run('smoke.mjs');
  }
});
