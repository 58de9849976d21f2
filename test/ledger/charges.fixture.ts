/** Charges of generated requests without modes, in terms that no change of prices may change. */
import { createHash } from 'node:crypto';
import { listPrice, type MaxUsage, type Metered, maxCostAt } from '../../src/ledger/pricing/price.js';
import { randomMetered, randomPricing } from './recompute/random-request.js';
import { SeededRandom } from './recompute/seeded-random.js';

const SEED = 20_261_126;
const CHARGES = 10_000;
const CHARGES_A_HASH = 100;

/** Digits of a hash that are kept. */
const HASH_DIGITS = 16;

/** A hash for each hundred charges, of list prices and max costs. */
export function chargeHashes(): string[] {
  const random = new SeededRandom(SEED);
  const hashes: string[] = [];
  for (let hash = 0; hash < CHARGES / CHARGES_A_HASH; hash++) {
    const lines = Array.from({ length: CHARGES_A_HASH }, () => randomCharge(random));
    hashes.push(createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, HASH_DIGITS));
  }
  return hashes;
}

function randomCharge(random: SeededRandom): string {
  const at = Date.UTC(2026, random.integer(0, 11), random.integer(1, 28), 0, random.integer(0, 1439));
  const metered = randomMetered(random);
  const pricing = randomPricing(random, at, metered.promptTokens, random.integer(0, 1));
  const { totalNanoUsd, promptNanoUsd, completionNanoUsd } = listPrice(pricing, metered, at);
  return [totalNanoUsd, promptNanoUsd, completionNanoUsd, maxCostAt(pricing, mostOf(metered), at)].join(' ');
}

function mostOf(metered: Metered): MaxUsage {
  const {
    promptTokens,
    completionTokens,
    images,
    outputImages,
    webSearches,
    searchUnits,
    audioTokens,
    imageTokens,
  } = metered;
  return {
    cacheWrites: 'hour',
    ...{ promptTokens, completionTokens, images, outputImages, webSearches, searchUnits },
    hasAudio: audioTokens > 0,
    hasFiles: imageTokens > 0,
  };
}
