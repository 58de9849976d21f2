import { describe, expect, it } from 'vitest';
import { temporaryDatabaseUrl } from '../../support/database.js';
import { runSequence } from './sequence.js';

describe('an independent recomputation agrees to the nano-USD', () => {
  it.each([1, 2, 3])(
    'on costs, fees, usage, spend, credits, activity and limits: sequence %d',
    async (seed) => {
      const { differences, requests, charged, fees } = await runSequence(
        await temporaryDatabaseUrl(),
        seed,
        150,
      );
      expect(differences).toEqual([]);
      expect(requests).toBe(150);
      expect(charged).toBeGreaterThan(50);
      expect(fees).toBeGreaterThan(0);
    },
  );
});
