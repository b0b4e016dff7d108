-- Policy and ClusterPolicy have one PolicyStatus.

local policy = {}

local counts = { "rulecount.generate", "rulecount.mutate", "rulecount.validate", "rulecount.verifyimages" }

-- Generated rules are kept where there are any.
function policy.reflect(obj)
  return kube.pick(obj.status, { "autogen.rules", "conditions", "ready", "rulecount" })
end

-- Kyverno has conditions since 1.7, and newer releases do not write the field ready.
function policy.health(obj)
  local ready = kube.get(obj, "status.ready")
  if ready ~= nil then
    return ready
  end
  local condition = kube.condition(obj, "Ready") or {}
  return condition.status == "True" and condition.reason == "Succeeded"
end

-- Adds the status of a cluster to the common one: ready where all are, and the generated
-- rules, which follow from the spec, of the first cluster by name. Returns the first
-- cluster so far that has rules.
local function add(status, item, first)
  local ready, rules = item.status.ready, kube.get(item, "status.autogen.rules")
  if ready ~= nil then
    status.ready = ready and status.ready ~= false
  end
  local cluster = item.clusterName or ""
  if rules and (not first or cluster < first) then
    status.autogen = { rules = rules }
    return cluster
  end
  return first
end

-- While no cluster reports, the status stays as it is.
function policy.aggregate(obj, items)
  local status = { rulecount = { generate = 0, mutate = 0, validate = 0, verifyimages = 0 } }
  local reports, first = kube.reported(items), nil
  if #reports == 0 then
    return obj
  end
  for _, item in ipairs(reports) do
    first = add(status, item, first)
  end
  status.conditions = kube.orNil(kube.mergeConditions(items, { "Ready" }))
  obj.status = kube.sumStatus(items, counts, status)
  return obj
end

return policy
