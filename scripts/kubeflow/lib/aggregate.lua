-- One status of those of the member clusters.

local aggregate = {}

-- The clusters in which the condition holds, with the condition.
local function holding(items, type)
  local held = {}
  for _, item in ipairs(items) do
    if kube.conditionTrue(item, type) then
      table.insert(held, { cluster = item.clusterName, condition = kube.condition(item, type) })
    end
  end
  return held
end

-- The clusters of held, by name.
local function names(held)
  local list = {}
  for _, h in ipairs(held) do
    table.insert(list, h.cluster)
  end
  table.sort(list)
  return table.concat(list, ", ")
end

local function since(h)
  return h.condition.lastTransitionTime or ""
end

-- One condition instead of those held: since the first of them, or since the last
-- where it takes all clusters to make it true.
local function one(held, condition, takesAll)
  table.sort(held, function(a, b) return since(a) < since(b) end)
  local from = held[takesAll and #held or 1].condition
  condition.status = "True"
  condition.lastTransitionTime = from.lastTransitionTime
  condition.lastUpdateTime = from.lastUpdateTime
  return condition
end

-- The condition of how the job ended, or nil while it has not: it failed when
-- one cluster failed, and is done when all are. done is {type, reason, message}.
function aggregate.ended(obj, items, done)
  local failed, succeeded = holding(items, "Failed"), holding(items, done.type)
  if #failed > 0 then
    local message = obj.kind .. " executed failed in member clusters: " .. names(failed)
    return one(failed, { type = "Failed", reason = obj.kind .. "Failed", message = message })
  end
  if #succeeded > 0 and #succeeded == #items then
    return one(succeeded, done, true)
  end
end

-- The condition of that type, where it holds in a cluster.
function aggregate.some(obj, items, type, message)
  local held = holding(items, type)
  if #held > 0 then
    return one(held, { type = type, reason = obj.kind .. type, message = obj.kind .. " " .. message })
  end
end

-- The object with what write(status) puts into a new status, or with its current status
-- where no cluster reports one.
function aggregate.into(obj, items, write)
  if #kube.reported(items) == 0 then
    obj.status = obj.status or {}
    return obj
  end
  obj.status = {}
  write(obj.status)
  return obj
end

-- The pods of all clusters by replica type. The controllers leave out a count of zero.
local function replicaStatuses(items)
  local fields, known = {}, {}
  for _, item in ipairs(items) do
    for type in pairs(kube.get(item, "status.replicaStatuses", {})) do
      if not known[type] then
        known[type] = true
        for _, name in ipairs({ "active", "failed", "succeeded" }) do
          table.insert(fields, { "replicaStatuses", type, name })
        end
      end
    end
  end
  return kube.sumStatus(items, fields).replicaStatuses
end

-- A job with JobStatus: conditions(ended) returns its conditions, given the one of
-- how it ended.
function aggregate.job(obj, items, done, conditions)
  return aggregate.into(obj, items, function(status)
    local ended = aggregate.ended(obj, items, done)
    status.conditions = conditions(ended)
    status.replicaStatuses = replicaStatuses(items)
    status.startTime = kube.earliest(items, "startTime")
    if ended and ended.type == done.type then
      status.completionTime = kube.latest(items, "completionTime")
    end
  end)
end

-- Conditions with reasons and messages by kind, as Karmada has them for PyTorchJob: that the
-- job was created, and its current state.
function aggregate.training(obj, items)
  local done = {
    type = "Succeeded",
    reason = obj.kind .. "Succeeded",
    message = obj.kind .. " is successfully completed.",
  }
  return aggregate.job(obj, items, done, function(ended)
    local conditions = {}
    conditions[1] = aggregate.some(obj, items, "Created", "is created.")
    conditions[#conditions + 1] = ended
      or aggregate.some(obj, items, "Restarting", "is restarting.")
      or aggregate.some(obj, items, "Running", "is running.")
      or aggregate.some(obj, items, "Suspended", "is suspended.")
    return kube.orNil(conditions)
  end)
end

return aggregate
