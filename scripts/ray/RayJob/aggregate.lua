local aggregate = require("lib.aggregate")

-- What counts first where clusters differ. Empty is a job that has not started.
local jobs = { "FAILED", "STOPPED", "RUNNING", "PENDING", "", "SUCCEEDED" }
local deployments = {
  "Failed", "ValidationFailed", "Retrying", "Suspending", "Suspended",
  "Running", "Waiting", "Initializing", "", "Complete",
}

-- The status of the first cluster with the first of the values that any has.
local function first(items, field, values)
  for _, value in ipairs(values) do
    for _, item in ipairs(items) do
      if kube.get(item, { "status", field }, "") == value then
        return item.status or {}
      end
    end
  end
  return {}
end

-- Of jobs in several clusters only how they are: each has an id and a cluster of its own.
function AggregateStatus(obj, items)
  return aggregate.into(obj, items, function()
    local status = kube.pick(first(items, "jobDeploymentStatus", deployments), { "jobDeploymentStatus", "message", "reason" })
    status.jobStatus = first(items, "jobStatus", jobs).jobStatus
    return status
  end)
end
