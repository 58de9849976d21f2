import { describe, expect, it } from 'vitest';
import { createCircuit, UNSUPPORTED_COOLING_MS } from '../../src/routing/health/circuit.js';

describe('F3: an endpoint that says it can’t answer', () => {
  it('is tried last for a while from the first answer on, then probed', () => {
    const circuit = createCircuit();
    const at = (now: number) => circuit.health('e', null, now);
    circuit.record('e', null, { kind: 'unsupported' }, 100);
    const until = 100 + UNSUPPORTED_COOLING_MS;
    expect(at(100)).toEqual({ state: 'cooling', until });
    expect(circuit.enter('e', null, until)).toBeDefined();
    expect(circuit.enter('e', null, until)).toBeUndefined();
    circuit.record('e', null, { kind: 'unsupported' }, until);
    expect(at(until)).toEqual({ state: 'cooling', until: until + UNSUPPORTED_COOLING_MS });
    circuit.record('e', null, { kind: 'success' }, until);
    expect(at(until)).toEqual({ state: 'ok' });
  });
});
