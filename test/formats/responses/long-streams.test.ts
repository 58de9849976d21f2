import { expect, it } from 'vitest';
import type { Said } from '../messages/answer.fixture.js';
import { call, written } from './writing.fixture.js';

const PIECES = 100_000;
const PIECE = 'x'.repeat(40);

it.each<[string, Said, Said]>([
  ['text', { content: 'a' }, { content: PIECE }],
  ['arguments of a function', call(0, '{"a":"', 'f'), call(0, PIECE)],
  ['input of a custom tool', call(0, '{"input":"', 'custom_f'), call(0, PIECE)],
  ['input that is no JSON', call(0, 'a', 'custom_f'), call(0, PIECE)],
])('%s: a piece takes no longer than one before it, however long it has become', (_, first, piece) => {
  const begunAt = performance.now();
  // Cut from the whole each time, these would be a hundred gigabytes of copies.
  const events = written([first, ...Array<Said>(PIECES).fill(piece)]).flat();
  expect(performance.now() - begunAt).toBeLessThan(10_000);
  expect(JSON.stringify(events.at(-1)).length).toBeGreaterThan(PIECES * PIECE.length);
});
