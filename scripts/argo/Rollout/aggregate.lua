local members = require("lib.members")

local counts = { "HPAReplicas", "availableReplicas", "readyReplicas", "replicas", "updatedReplicas" }
-- Fields that are kept where all clusters agree.
local common = { "abort", "currentPodHash", "currentStepIndex", "selector", "stableRS" }
-- Phases of Argo Rollouts 1.0 and later.
local worst = { "Degraded", "Paused", "Progressing" }

local function agreed(items, field)
  local values = members.values(items, field)
  for _, value in ipairs(values) do
    if value ~= values[1] then
      return nil
    end
  end
  return #values == #items and values[1] or nil
end

-- Rollout has its observedGeneration as text.
local function observed(obj, items)
  for _, item in ipairs(items) do
    if item.status then
      item.status.observedGeneration = tonumber(item.status.observedGeneration)
    end
  end
  local seen = kube.observedGeneration(obj, items)
  return seen and string.format("%d", seen)
end

function AggregateStatus(obj, items)
  return members.into(obj, items, function()
    local status = kube.sumStatus(items, counts)
    for _, field in ipairs(common) do
      status[field] = agreed(items, field)
    end
    status.phase = members.phase(items, worst) or #members.values(items, "phase") > 0 and "Progressing" or nil
    status.message = members.messages(items)
    status.conditions = members.conditions(items)
    status.observedGeneration = observed(obj, items)
    return status
  end)
end
