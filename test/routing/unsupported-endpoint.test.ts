import { describe, expect, it } from 'vitest';
import { createCircuit } from '../../src/routing/health/circuit.js';
import { UNSUPPORTED_COOLING_MS } from '../../src/routing/health/failure-record.js';

const CANDIDATE = { accountId: 'a', endpointId: 'e', byokKeyId: null };

describe('F3: an endpoint that says it can’t answer', () => {
  it('is tried last for a while from the first answer on, then probed', () => {
    const circuit = createCircuit();
    const at = (now: number) => circuit.health(CANDIDATE, now);
    circuit.record(CANDIDATE, { kind: 'unsupported' }, 100);
    const until = 100 + UNSUPPORTED_COOLING_MS;
    expect(at(100)).toEqual({ state: 'cooling', until });
    expect(circuit.enter(CANDIDATE, until)).toBeDefined();
    expect(circuit.enter(CANDIDATE, until)).toBeUndefined();
    circuit.record(CANDIDATE, { kind: 'unsupported' }, until);
    expect(at(until)).toEqual({ state: 'cooling', until: until + UNSUPPORTED_COOLING_MS });
    circuit.record(CANDIDATE, { kind: 'success' }, until);
    expect(at(until)).toEqual({ state: 'ok' });
  });
});
