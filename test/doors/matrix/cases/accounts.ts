import { AccountService } from '../../../../gen/byway/v1/accounts_pb.js';
import { answers, by, type Case, fails } from '../case.js';

const { listClients, createClient, deleteClient } = AccountService.method;

/** What belongs to an account as a whole. */
export const ACCOUNT_CASES: readonly Case[] = [
  answers(
    listClients,
    'a page',
    {
      as: by.manager,
      async ask(world) {
        await world.addClient('First');
        await world.addClient('Second');
        return { offset: 1 };
      },
    },
    { data: [{ name: 'Second' }], total_count: 2 },
  ),
  answers(
    createClient,
    'with a name',
    { as: by.manager, ask: () => ({ name: 'Portal' }) },
    {
      data: { name: 'Portal' },
    },
  ),
  fails(
    createClient,
    'without a name',
    { as: by.manager, ask: () => ({}) },
    { status: 400, violations: [{ field: 'name', rule: 'required' }] },
  ),
  answers(
    deleteClient,
    'once',
    { as: by.manager, ask: async (world) => ({ id: (await world.addClient()).id }) },
    { deleted: true },
  ),
  fails(
    deleteClient,
    'none',
    { as: by.manager, ask: () => ({ id: 'none' }) },
    { status: 404, reason: 'not_found' },
  ),
];
