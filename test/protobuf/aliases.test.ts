import { describe, expect, it } from 'vitest';
import { ListKeysResponseSchema } from '../../gen/byway/v1/keys_pb.js';
import { ListUserModelsResponseSchema } from '../../gen/byway/v1/models_pb.js';
import { aliasViolation } from '../../src/protobuf/aliases.js';

const answers = [ListUserModelsResponseSchema, ListKeysResponseSchema];
const fault = (...pairs: [string, string[]][]) => aliasViolation(new Map(pairs), answers);

describe('further names of members in answers (interface section 1)', () => {
  it('are taken for a member of any answer, however deep, in lists and in bare lists', () => {
    expect(fault()).toBeUndefined();
    expect(fault(['data', ['items']], ['arena_rankings', ['arenas']])).toBeUndefined();
    expect(fault(['elo', ['x', 'y']], ['min_prompt_tokens', ['z']], ['hash', ['id']])).toBeUndefined();
  });

  it('are taken for what the error envelope has beside the error', () => {
    expect(fault(['user_id', ['caller']], ['service_metadata', ['extra']])).toBeUndefined();
    expect(fault(['user_id', ['error']])).toBe("error can't stand for user_id: Error has both as members");
  });

  it('are refused for what no answer has, with the nearest name', () => {
    expect(fault(['arena_ranking', ['x']])).toBe(
      'no answer has a member arena_ranking; did you mean arena_rankings?',
    );
    expect(fault(['zzzzzzzzzzzz', ['x']])).toBe('no answer has a member zzzzzzzzzzzz');
  });

  it('are refused where the same message has a member of that name, and only there', () => {
    expect(fault(['elo', ['win_rate']])).toBe("win_rate can't stand for elo: ArenaEntry has both as members");
    expect(fault(['elo', ['hash']])).toBeUndefined();
    expect(fault(['elo', ['elo']])).toBe("elo can't stand for elo: ArenaEntry has both as members");
  });
});
