import type { Migration } from './index.js';

/** The member that a client's keys belong to: null for the clients of today and those that the version before still makes. */
export const clientMembers: Migration = {
  name: '0006-client-members',
  async up({ schema }) {
    await schema.alterTable('client').addColumn('user_id', 'text').execute();
  },
};
