import { useMutation, useQuery } from '@connectrpc/connect-query';
import { useState } from 'react';
import { GuardrailService } from '../../../../gen/byway/v1/guardrails_pb.js';
import { instantText } from '../../base/time.js';
import { Assignments } from '../../ui/assignments.js';
import { Loaded } from '../../ui/loaded.js';
import { Card } from '../../ui/page.js';
import { useAnnounce } from '../../ui/status.js';

const PAGE = 50;

/** The members that a guardrail is on. A member has at most one. */
export function MemberAssignments({ id }: { readonly id: string }) {
  const [offset, setOffset] = useState(0);
  const query = useQuery(GuardrailService.method.listGuardrailMembers, { id, offset, limit: PAGE });
  const assign = useMutation(GuardrailService.method.assignGuardrailMembers);
  const unassign = useMutation(GuardrailService.method.unassignGuardrailMembers);
  const announce = useAnnounce();
  return (
    <Card title="Assigned members" intro="It applies to everything that a member's API keys do.">
      <Loaded query={query}>
        {({ data, totalCount }) => (
          <Assignments
            thing="member"
            field="member_user_ids"
            assigned={data.map(({ userId, createdAt }) => ({ value: userId, since: instantText(createdAt) }))}
            nameOf={(userId) => <code className="break">{userId}</code>}
            options={[]}
            placeholder="user_…"
            submit="Assign"
            page={{ offset, limit: PAGE, total: totalCount }}
            onMove={setOffset}
            onAdd={(userIds, done) => {
              const added = () => {
                announce('Guardrail assigned');
                done();
              };
              assign.mutate({ id, memberUserIds: [...userIds] }, { onSuccess: added });
            }}
            onRemove={(userId) => unassign.mutate({ id, memberUserIds: [userId] })}
            isBusy={assign.isPending || unassign.isPending}
            addError={assign.error}
            removeError={unassign.error}
          />
        )}
      </Loaded>
    </Card>
  );
}
