local aggregate = require("lib.aggregate")

-- The state of the container in the first cluster in which it does not run, or else in the
-- first that reports one.
local function containerState(items)
  local first
  for _, item in ipairs(items) do
    local state = kube.get(item, "status.containerState")
    if state and (state.waiting or state.terminated) then
      return state
    end
    first = first or state
  end
  return first
end

function AggregateStatus(obj, items)
  return aggregate.into(obj, items, function(status)
    status.conditions = kube.mergeConditions(items, { "Ready" })
    status.containerState = containerState(items)
    status.readyReplicas = kube.sumStatus(items, { "readyReplicas" }).readyReplicas
  end)
end
