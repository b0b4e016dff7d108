local aggregate = require("lib.aggregate")

-- A service runs when it runs in every cluster; its parts are those of the first.
function AggregateStatus(obj, items)
  return aggregate.into(obj, items, function()
    local status = kube.sumStatus(items, { "numServeEndpoints" })
    status.conditions = aggregate.conditions(items)
    status.lastUpdateTime = kube.latest(items, "lastUpdateTime")
    aggregate.first(items, { "activeServiceStatus", "pendingServiceStatus" }, status)
    status.serviceStatus = "Running"
    for _, item in ipairs(items) do
      local state = kube.get(item, "status.serviceStatus")
      if state ~= "Running" then
        status.serviceStatus = state
        break
      end
    end
    return status
  end)
end
