import type { DescMessage } from '@bufbuild/protobuf';
import { GetGenerationResponseSchema } from '../../gen/byway/v1/generations_pb.js';
import { shapeOf } from '../../src/protobuf/shape.js';
import type { Row } from './rest.js';

/** A record without the members that mean nothing here, which exports do not have. */
export function withoutNeutral(desc: DescMessage, record: Row): Row {
  return without(neutralOf(desc), record);
}

/** A generation as lists and exports have it. */
export function listed(generation: Row): Row {
  const { data } = neutralOf(GetGenerationResponseSchema);
  return without(data as Row, generation);
}

function neutralOf(desc: DescMessage): Row {
  const shape = shapeOf(desc);
  return shape.kind === 'object' ? shape.neutral : {};
}

function without(neutral: Row, record: Row): Row {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !Object.hasOwn(neutral, name)));
}
