import type { ByokKeyTest } from '../../../../gen/byway/v1/byok_pb.js';
import { durationText } from '../../base/time.js';
import { Badge, FailureNotice } from '../../ui/notices.js';

interface TestResultProps {
  readonly result: ByokKeyTest | undefined;
  /** Why the test itself could not run. */
  readonly error: unknown;
}

/** The result of a test call with a stored credential. */
export function TestResult({ result, error }: TestResultProps) {
  return (
    <div className="test-result" role="status">
      <FailureNotice error={error} />
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
