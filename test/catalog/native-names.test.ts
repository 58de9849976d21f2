import { describe, expect, it } from 'vitest';
import { createCatalog } from '../../src/catalog/assembled/catalog.js';
import { demoModel, demoProvider } from '../support/catalog.js';
import { defaultFile, readChecked } from './catalog.fixture.js';

function catalogOf(...models: readonly object[]) {
  const providers = ['a', 'b'].map((slug) => demoProvider(slug));
  return createCatalog(readChecked(JSON.stringify({ providers, models })), 1);
}

function at(provider: string, upstream_model_id: string): object {
  return { provider, upstream_model_id };
}

describe('a name without an author', () => {
  it.each([
    ['claude-opus-4-8', 'anthropic/claude-opus-4.8'],
    ['claude-opus-4.8', 'anthropic/claude-opus-4.8'],
    ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
    ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4.5'],
    ['claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4.5'],
    ['claude-opus-4-20250514', 'anthropic/claude-opus-4'],
    ['claude-sonnet-4-5@20250929', 'anthropic/claude-sonnet-4.5'],
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic/claude-sonnet-4.5'],
    ['gpt-5.2', 'openai/gpt-5.2'],
    ['gpt-5.2-chat-latest', 'openai/gpt-5.2-chat'],
  ])('%s means %s in the packaged catalogue', (name, id) => {
    const catalog = createCatalog(defaultFile(), 1);
    expect(catalog.resolve(name)).toMatchObject({ model: { id }, alias: null });
    expect(catalog.resolveId(name)).toBe(id);
  });

  it('that several models have means none of them', () => {
    const { resolve } = catalogOf(
      demoModel('x/same', [at('a', 'one')]),
      demoModel('y/same', [at('a', 'two')]),
    );
    expect(resolve('same')).toBeUndefined();
    expect(resolve('x/same')?.model.id).toBe('x/same');
    const shared = catalogOf(demoModel('x/one', [at('a', 'echo')]), demoModel('y/two', [at('b', 'echo')]));
    expect(shared.resolve('echo')).toBeUndefined();
  });

  it('that a model has at several providers means that model', () => {
    const { resolve } = catalogOf(demoModel('x/one', [at('a', 'echo'), at('b', 'echo')]));
    expect(resolve('echo')?.model.id).toBe('x/one');
  });

  it('is the model of that id rather than one that a provider calls so', () => {
    const { resolve } = catalogOf(
      demoModel('x/big', [at('a', 'b1')]),
      demoModel('y/small', [at('b', 'big')]),
    );
    expect(resolve('big')?.model.id).toBe('x/big');
  });

  it('is never cut to make it known: another snapshot is another model', () => {
    const { resolve } = createCatalog(defaultFile(), 1);
    expect(resolve('claude-sonnet-4-5-20990101')).toBeUndefined();
    expect(resolve('gpt-5.2-2099-01-01')).toBeUndefined();
  });

  it('with an author is not looked for', () => {
    const { resolve } = catalogOf(demoModel('x/one', [at('a', 'org/echo')]));
    expect(resolve('org/echo')).toBeUndefined();
  });
});
