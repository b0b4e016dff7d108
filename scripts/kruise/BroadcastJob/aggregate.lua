-- The phase of all: the first of these that a cluster is in, and completed where all are.
local order = { "failed", "paused", "running" }

local function phase(items)
  local phases = {}
  for _, item in ipairs(items) do
    phases[item.status and item.status.phase or "running"] = true
  end
  for _, one in ipairs(order) do
    if phases[one] then
      return one
    end
  end
  return "completed"
end

-- The conditions of the clusters, without Complete while one of them is not.
local function conditions(items, completed)
  local list = {}
  for _, condition in ipairs(kube.mergeConditions(items)) do
    if condition.type ~= "Complete" or completed then
      table.insert(list, condition)
    end
  end
  return kube.orNil(list)
end

local function ended(items)
  for _, item in ipairs(items) do
    if not kube.get(item, "status.completionTime") then
      return false
    end
  end
  return true
end

function AggregateStatus(obj, items)
  if #kube.reported(items) == 0 then
    return obj
  end
  local status = { active = 0, desired = 0, failed = 0, succeeded = 0 }
  status = kube.sumStatus(items, { "active", "desired", "failed", "succeeded" }, status)
  status.phase = phase(items)
  status.conditions = conditions(items, status.phase == "completed")
  status.startTime = kube.earliest(items, "startTime")
  status.completionTime = ended(items) and kube.latest(items, "completionTime") or nil
  obj.status = status
  return obj
end
