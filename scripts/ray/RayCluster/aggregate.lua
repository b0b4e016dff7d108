local aggregate = require("lib.aggregate")

-- The sums over all clusters, and the head of the first one.
function AggregateStatus(obj, items)
  return aggregate.into(obj, items, function()
    local zero = {
      availableWorkerReplicas = 0, desiredWorkerReplicas = 0, maxWorkerReplicas = 0,
      minWorkerReplicas = 0, readyWorkerReplicas = 0,
    }
    local fields = kube.list()
    for field in pairs(zero) do
      table.insert(fields, field)
    end
    local status = kube.sumStatus(items, fields, zero)
    for _, item in ipairs(items) do
      for _, field in ipairs({ "desiredCPU", "desiredGPU", "desiredMemory", "desiredTPU" }) do
        local quantity = kube.get(item, { "status", field })
        status[field] = quantity and kube.resourceAdd(status[field], quantity) or status[field]
      end
    end
    status.conditions = aggregate.conditions(items)
    status.lastUpdateTime = kube.latest(items, "lastUpdateTime")
    aggregate.first(items, { "endpoints", "head", "reason", "state", "stateTransitionTimes" }, status)
    return status
  end)
end
