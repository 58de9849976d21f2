import type { Cursor } from '../cursor.js';
import type { StatedArenaEntry, StatedBenchmarks } from '../stated.js';
import type { AnalysisIndex } from '../types.js';

const INDEX_BOUND = 1e6;

/** Reads third-party rankings (spec 2.1, ModelBenchmarks); ranks are computed and not among them. */
export function readBenchmarks(at: Cursor): StatedBenchmarks {
  const member = at.object(['arena_rankings', 'analysis_index']);
  return {
    arenaRankings: member('arena_rankings').list(readArenaEntry),
    analysisIndex: member('analysis_index').orNull(readAnalysisIndex),
  };
}

function readArenaEntry(at: Cursor): StatedArenaEntry {
  const member = at.object(['arena', 'category', 'elo', 'win_rate']);
  return {
    arena: member('arena').text(),
    category: member('category').text(),
    elo: member('elo').number(-INDEX_BOUND, INDEX_BOUND),
    winRate: member('win_rate').number(0, 100),
  };
}

function readAnalysisIndex(at: Cursor): AnalysisIndex {
  const member = at.object(['intelligence_index', 'coding_index', 'agentic_index']);
  const index = (name: string) => member(name).orNull((number) => number.number(-INDEX_BOUND, INDEX_BOUND));
  return {
    intelligenceIndex: index('intelligence_index'),
    codingIndex: index('coding_index'),
    agenticIndex: index('agentic_index'),
  };
}
