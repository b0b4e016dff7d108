-- Policy and ClusterPolicy have one PolicyStatus.

local policy = {}

local counts = { "rulecount.generate", "rulecount.mutate", "rulecount.validate", "rulecount.verifyimages" }

-- Generated rules are kept where there are any.
function policy.reflect(obj)
  return kube.pick(obj.status, { "autogen.rules", "conditions", "ready", "rulecount" })
end

-- Kyverno has conditions since 1.7, and newer releases write the field ready no more.
function policy.health(obj)
  local ready = kube.get(obj, "status.ready")
  if ready ~= nil then
    return ready
  end
  local condition = kube.condition(obj, "Ready") or {}
  return condition.status == "True" and condition.reason == "Succeeded"
end

-- Puts what a cluster tells into the common status: ready is what all are, and of the
-- generated rules, which follow from the spec, those of the first cluster by name stand
-- for all. Gives the first cluster that told rules until now.
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
  local told, first = false, nil
  for _, item in ipairs(items) do
    if item.status then
      told = true
      first = add(status, item, first)
    end
  end
  if told then
    local conditions = kube.mergeConditions(items)
    status.conditions = next(conditions) and conditions
    obj.status = kube.sumStatus(items, counts, status)
  end
  return obj
end

return policy
