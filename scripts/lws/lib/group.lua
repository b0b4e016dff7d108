-- A replica of a LeaderWorkerSet is a group: a leader and size - 1 workers.

local group = {}

-- The pod templates of leader and worker; without one of its own the leader has that of
-- the workers.
function group.templates(obj)
  local spec = kube.get(obj, "spec.leaderWorkerTemplate", {})
  local worker = spec.workerTemplate or {}
  return spec.leaderTemplate or worker, worker
end

-- How many groups there are, 1 by default.
local function count(obj)
  return kube.get(obj, "spec.replicas", 1)
end

-- What the pods of one group need together: the sum of their requests, and of the claim
-- to a node what leader and worker have in common.
local function requirements(obj)
  local leader, worker = group.templates(obj)
  local workers = kube.get(obj, "spec.leaderWorkerTemplate.size", 1) - 1
  local parts = { kube.component("leader", 1, leader), kube.component("worker", workers, worker) }
  local needs = kube.largestRequirements(parts)
  if not needs or not needs.resourceRequest or workers == 0 then
    return needs
  end
  local sum = kube.get(parts[1], "replicaRequirements.resourceRequest", {})
  local all = kube.accuratePodRequirements(worker, workers) or {}
  for name, quantity in pairs(all.resourceRequest or {}) do
    sum[name] = sum[name] and kube.resourceAdd(sum[name], quantity) or quantity
  end
  needs.resourceRequest = sum
  return needs
end

function group.replicas(obj)
  return count(obj), requirements(obj)
end

-- One component, the group: it is what replicas counts and what can be divided.
function group.components(obj)
  return { { name = "group", replicas = count(obj), replicaRequirements = requirements(obj) } }
end

return group
