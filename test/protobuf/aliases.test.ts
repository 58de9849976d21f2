import { describe, expect, it } from 'vitest';
import { ListKeysResponseSchema } from '../../gen/byway/v1/keys_pb.js';
import { ListUserModelsResponseSchema } from '../../gen/byway/v1/models_pb.js';
import { aliasViolation } from '../../src/protobuf/aliases.js';

const answers = [ListUserModelsResponseSchema, ListKeysResponseSchema];
const violation = (...pairs: [string, string[]][]) => aliasViolation(new Map(pairs), answers);

describe('further names of members in answers', () => {
  it('are accepted for a member of any answer, however deep, in lists and in bare lists', () => {
    expect(violation()).toBeUndefined();
    expect(violation(['data', ['items']], ['arena_rankings', ['arenas']])).toBeUndefined();
    expect(violation(['elo', ['x', 'y']], ['min_prompt_tokens', ['z']], ['hash', ['id']])).toBeUndefined();
  });

  it('are accepted for members of the error envelope beside the error', () => {
    expect(violation(['user_id', ['caller']], ['service_metadata', ['extra']])).toBeUndefined();
    expect(violation(['user_id', ['error']])).toBe(
      "error can't stand for user_id: Error has both as members",
    );
  });

  it('are refused for a name that no answer has, with the nearest one', () => {
    expect(violation(['arena_ranking', ['x']])).toBe(
      'no answer has a member arena_ranking; did you mean arena_rankings?',
    );
    expect(violation(['zzzzzzzzzzzz', ['x']])).toBe('no answer has a member zzzzzzzzzzzz');
  });

  it('are refused where the same message has a member of that name, and only there', () => {
    expect(violation(['elo', ['win_rate']])).toBe(
      "win_rate can't stand for elo: ArenaEntry has both as members",
    );
    expect(violation(['elo', ['hash']])).toBeUndefined();
    expect(violation(['elo', ['elo']])).toBe("elo can't stand for elo: ArenaEntry has both as members");
  });
});
