-- What belongs to the member cluster.

local retain = {}

-- An autoscaler in the member may own the number of replicas.
function retain.replicas(desired, observed)
  local replicas = kube.get(observed, "spec.replicas")
  if replicas and kube.retainsReplicas(desired) then
    desired.spec = desired.spec or {}
    desired.spec.replicas = replicas
  end
  return desired
end

-- When kubectl last restarted the pods (Kubernetes 1.36, kubectl, polymorphichelpers,
-- defaultObjectRestarter).
local restartedAt = { "spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt" }

-- Reports whether a is no earlier than b. What is no time is not.
local function isLater(a, b)
  local ok, latest = pcall(kube.latest, { { status = { at = a } }, { status = { at = b } } }, "at")
  return ok and latest == a
end

-- The pods were restarted in the member. Without the annotation they would be once more,
-- and the restart that the user asked for there was done.
function retain.restart(desired, observed)
  local wanted, there = kube.get(desired, restartedAt), kube.get(observed, restartedAt)
  if there and (not wanted or isLater(there, wanted)) then
    local at = desired
    for i = 1, #restartedAt - 1 do
      at[restartedAt[i]] = at[restartedAt[i]] or {}
      at = at[restartedAt[i]]
    end
    at[restartedAt[#restartedAt]] = there
  end
  return desired
end

function retain.workload(desired, observed)
  return retain.restart(retain.replicas(desired, observed), observed)
end

return retain
