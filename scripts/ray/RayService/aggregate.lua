local aggregate = require("lib.aggregate")

-- States of an application of Ray Serve, the best first.
local states = { "RUNNING", "NOT_STARTED", "DEPLOYING", "DELETING", "UNHEALTHY", "DEPLOY_FAILED" }

local rank = {}
for i, state in ipairs(states) do
  rank[state] = i
end

local function rankOf(application)
  return rank[application.status or ""] or 1
end

-- The applications of all clusters, each as it is where it is worst.
local function applications(items)
  local all = {}
  for _, item in ipairs(items) do
    for name, application in pairs(kube.get(item, "status.activeServiceStatus.applicationStatuses", {})) do
      if not all[name] or rankOf(application) > rankOf(all[name]) then
        all[name] = application
      end
    end
  end
  return kube.orNil(all)
end

-- A service runs when it runs in every cluster; its parts are those of the first, and of its
-- applications the worst.
function AggregateStatus(obj, items)
  return aggregate.into(obj, items, function()
    local status = kube.sumStatus(items, { "numServeEndpoints" })
    status.conditions = aggregate.conditions(items)
    status.lastUpdateTime = kube.latest(items, "lastUpdateTime")
    aggregate.first(items, { "activeServiceStatus", "pendingServiceStatus" }, status)
    if status.activeServiceStatus then
      status.activeServiceStatus.applicationStatuses = applications(items)
    end
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
