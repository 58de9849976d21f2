import type { ByokKeyTest } from '../../../../gen/byway/v1/byok_pb.js';
import { durationText } from '../../base/time.js';
import { Badge, Failure } from '../../ui/notices.js';

interface TestResultProps {
  /** Undefined before there is one. */
  readonly result: ByokKeyTest | undefined;
  /** Why the test itself could not be made. */
  readonly error: unknown;
}

/** What came of one call with a stored credential (interface section 4). */
export function TestResult({ result, error }: TestResultProps) {
  return (
    <div className="test-result" role="status">
      <Failure error={error} />
      {result !== undefined && (
        <p className="badges">
          <Badge tone={result.ok ? 'good' : 'bad'}>{result.ok ? 'Works' : 'Failed'}</Badge>
          <Badge>{result.reason}</Badge>
          {result.status !== undefined && <Badge>{result.status}</Badge>}
          <span className="break">{result.detail}</span>
          {result.latencyMs > 0 && <span className="muted">{durationText(result.latencyMs)}</span>}
        </p>
      )}
    </div>
  );
}
