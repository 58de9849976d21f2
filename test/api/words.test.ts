import { getOption } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { field } from '../../gen/byway/options/v1/options_pb.js';
import { ListActivityRequestSchema } from '../../gen/byway/v1/accounts_pb.js';
import { ListGenerationsRequestSchema } from '../../gen/byway/v1/generations_pb.js';
import { ACTIVITY_GROUPS } from '../../src/accounts/activity.js';
import { GENERATION_STATUSES } from '../../src/inference/settlement/generation.js';

it('the contract names the words that the services take', () => {
  const groups = getOption(ListActivityRequestSchema.field.groupBy, field).words;
  expect(groups.toSorted()).toEqual([...ACTIVITY_GROUPS].toSorted());
  const statuses = getOption(ListGenerationsRequestSchema.field.status, field).words;
  expect(statuses).toEqual([...GENERATION_STATUSES]);
});
