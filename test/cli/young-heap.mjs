// Imported before a server: at SIGUSR2 it makes as much garbage as many requests do, some of which lives for a while, and
// then prints the size of the young generation.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';

process.once('SIGUSR2', async () => {
  let alive = [];
  for (let turn = 0; turn < 120; turn++) {
    for (let count = 0; count < 20_000; count++) alive.push({ count, of: [turn] });
    if (alive.length > 600_000) alive = [];
    await nextTurn();
  }
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  process.stdout.write(`young generation: ${young.space_size} bytes\n`);
});
