import { useMutation, useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import { GuardrailService } from '../../../../gen/byway/v1/guardrails_pb.js';
import { useKeyOptions, valueLabel } from '../../base/lists.js';
import { instantText } from '../../base/time.js';
import { Assignments } from '../../ui/assignments.js';
import { Loaded } from '../../ui/loaded.js';
import { Card } from '../../ui/page.js';
import { useAnnounce } from '../../ui/status.js';

const PAGE = 50;

/** The API keys that a guardrail is on. A key has at most one. */
export function KeyAssignments({ id }: { readonly id: string }) {
  const [offset, setOffset] = useState(0);
  const query = useQuery(GuardrailService.method.listGuardrailKeys, { id, offset, limit: PAGE });
  const assign = useMutation(GuardrailService.method.assignGuardrailKeys);
  const unassign = useMutation(GuardrailService.method.unassignGuardrailKeys);
  const keys = useKeyOptions();
  const announce = useAnnounce();
  return (
    <Card
      title="Assigned API keys"
      intro="A key takes one guardrail; assigning this one replaces the one it had."
    >
      <Loaded query={query}>
        {({ data, totalCount }) => (
          <Assignments
            thing="API key"
            field="key_hashes"
            assigned={data.map(({ keyHash, createdAt }) => ({
              value: keyHash,
              since: instantText(createdAt),
            }))}
            nameOf={(hash) => valueLabel(keys, hash)}
            options={keys}
            isClosed
            placeholder="Choose an API key …"
            submit="Assign"
            page={{ offset, limit: PAGE, total: totalCount }}
            onMove={setOffset}
            onAdd={(hashes, done) => {
              const added = () => {
                announce('Guardrail assigned');
                done();
              };
              assign.mutate({ id, keyHashes: [...hashes] }, { onSuccess: added });
            }}
            onRemove={(hash) => unassign.mutate({ id, keyHashes: [hash] })}
            isBusy={assign.isPending || unassign.isPending}
            addError={assign.error}
            removeError={unassign.error}
          />
        )}
      </Loaded>
    </Card>
  );
}
