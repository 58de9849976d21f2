import type { Migration } from './migration.js';

const COLUMNS = ['service_tier', 'speed', 'inference_geo', 'price_mode', 'unpriced_json'];

/** In which mode a request was served and billed. */
export const modes: Migration = {
  name: '0011-modes',
  async up(tx) {
    for (const name of COLUMNS) await tx.schema.alterTable('generation').addColumn(name, 'text').execute();
  },
};
