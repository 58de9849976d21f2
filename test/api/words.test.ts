import { getOption } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { field } from '../../gen/byway/options/v1/options_pb.js';
import { ListActivityRequestSchema } from '../../gen/byway/v1/accounts_pb.js';
import {
  ExportGenerationsRequestSchema,
  ListGenerationsRequestSchema,
} from '../../gen/byway/v1/generations_pb.js';
import { ACTIVITY_GROUPS } from '../../src/accounts/activity.js';
import { GENERATION_STATUSES } from '../../src/inference/ports/generation.js';

it('the contract names the words that the services take', () => {
  const groups = getOption(ListActivityRequestSchema.field.groupBy, field).words;
  expect(groups.toSorted()).toEqual([...ACTIVITY_GROUPS].toSorted());
  for (const { status } of [ListGenerationsRequestSchema.field, ExportGenerationsRequestSchema.field]) {
    expect(getOption(status, field).words).toEqual([...GENERATION_STATUSES]);
  }
});

it('an export takes the filters of the list, and no page of it', () => {
  const membersOf = ({ fields }: { readonly fields: readonly { readonly name: string }[] }) =>
    fields.map(({ name }) => name).filter((name) => !['offset', 'limit', 'cursor', 'format'].includes(name));
  expect(membersOf(ExportGenerationsRequestSchema)).toEqual(membersOf(ListGenerationsRequestSchema));
});
