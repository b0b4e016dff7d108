local members = require("lib.status")

-- The phase of all: what one cluster says first of these, but completed takes them all.
local order = { "failed", "paused", "running" }

local function phase(items)
  local said = {}
  for _, item in ipairs(items) do
    said[item.status and item.status.phase or "running"] = true
  end
  for _, one in ipairs(order) do
    if said[one] then
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
  return next(list) and list
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
