import type { ModelInput } from '../input/catalog-file.js';
import type { Benchmarks } from '../types.js';

/**
 * Ranks the models in each arena and category: 1 is the highest elo, equal elos share a rank, aliases are not counted.
 * Returns a function that adds the ranks to a model's benchmarks.
 */
export function rankArenas(models: readonly ModelInput[]): (model: ModelInput) => Benchmarks | null {
  const elos = new Map<string, number[]>();
  for (const model of models) {
    if (model.aliasTarget !== null) continue;
    for (const { arena, category, elo } of model.benchmarks?.arenaRankings ?? []) {
      const key = JSON.stringify([arena, category]);
      const known = elos.get(key);
      if (known === undefined) elos.set(key, [elo]);
      else known.push(elo);
    }
  }
  return ({ benchmarks }) =>
    benchmarks && {
      arenaRankings: benchmarks.arenaRankings.map((entry) => {
        const all = elos.get(JSON.stringify([entry.arena, entry.category])) ?? [];
        return { ...entry, rank: 1 + all.filter((elo) => elo > entry.elo).length };
      }),
      analysisIndex: benchmarks.analysisIndex,
    };
}
