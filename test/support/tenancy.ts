/** Whose calls tests make that are about something else. */
import type { Tenancy } from '../../src/inference/ports/adapter.js';

export const TENANCY: Tenancy = { accountId: 'tests', isByok: false, mayWait: true };
