-- Conditions of workloads by which clients tell that something has failed. Members report them while they
-- hold, and no other: messages and times of the others change with each pod.

local failures = {}

-- That of each kind, with its status and reason where they tell the failure (Kubernetes 1.36,
-- controller/deployment/util, TimedOutReason; controller/replicaset, GetCondition).
local kinds = {
  Deployment = { type = "Progressing", status = "False", reason = "ProgressDeadlineExceeded" },
  ReplicaSet = { type = "ReplicaFailure", status = "True" },
}

-- The condition of that type if the object or item has failed.
local function holding(kind, from)
  local failure = kinds[kind]
  local condition = failure and kube.condition(from, failure.type)
  if condition and condition.status == failure.status and condition.reason == (failure.reason or condition.reason) then
    return condition
  end
end

-- What a cluster reports of it, nil where nothing has failed.
function failures.reflect(obj)
  local condition = holding(obj.kind, obj)
  local kept = { "type", "status", "reason", "message", "lastTransitionTime" }
  return condition and kube.list(kube.pick(condition, kept)) or nil
end

-- The condition of the first cluster that has failed, which names all of them; nil where none has.
function failures.first(obj, items)
  local first, clusters = nil, {}
  for _, item in ipairs(items) do
    local condition = holding(obj.kind, item)
    if condition then
      first = first or condition
      table.insert(clusters, item.clusterName)
    end
  end
  return first and kube.merge(first, { message = table.concat(clusters, ", ") .. ": " .. (first.message or first.reason) })
end

-- Writes the failure of a ReplicaSet, whose status has no other conditions.
function failures.report(obj, items)
  if obj.kind == "ReplicaSet" and #kube.reported(items) > 0 then
    local failure = failures.first(obj, items)
    obj.status.conditions = failure and { failure } or nil
  end
end

return failures
