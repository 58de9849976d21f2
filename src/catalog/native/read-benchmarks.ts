import type { ArenaEntryInput, BenchmarksInput } from '../input/catalog-file.js';
import type { JsonReader } from '../input/json-reader.js';
import type { AnalysisIndex } from '../types.js';

const MAX_INDEX = 1e6;

/** Ranks are not read but computed. */
export function readBenchmarks(at: JsonReader): BenchmarksInput {
  const member = at.object(['arena_rankings', 'analysis_index']);
  return {
    arenaRankings: member('arena_rankings').list(readArenaEntry),
    analysisIndex: member('analysis_index').orNull(readAnalysisIndex),
  };
}

function readArenaEntry(at: JsonReader): ArenaEntryInput {
  const member = at.object(['arena', 'category', 'elo', 'win_rate']);
  return {
    arena: member('arena').text(),
    category: member('category').text(),
    elo: member('elo').number(-MAX_INDEX, MAX_INDEX),
    winRate: member('win_rate').number(0, 100),
  };
}

function readAnalysisIndex(at: JsonReader): AnalysisIndex {
  const member = at.object(['intelligence_index', 'coding_index', 'agentic_index']);
  const index = (name: string) => member(name).orNull((number) => number.number(-MAX_INDEX, MAX_INDEX));
  return {
    intelligenceIndex: index('intelligence_index'),
    codingIndex: index('coding_index'),
    agenticIndex: index('agentic_index'),
  };
}
