-- What the operator (1.7 to 1.14) reports of a job in the status of both kinds, which share
-- CommonStatus and JobStatus of its API.

local job = {}

-- The fields about the job; the first, third and last are of a FlinkDeployment only.
local kept = {
  "clusterInfo", "error", "jobManagerDeploymentStatus", "jobStatus", "lifecycleState",
  "observedGeneration", "reconciliationStatus", "taskManager",
}

function job.reflect(obj)
  return kube.pick(obj.status, kept)
end

-- A Flink job runs in one cluster: the status is that of the last cluster that reports one.
function job.aggregate(obj, items)
  for _, item in ipairs(items) do
    if item.status and next(item.status) then
      obj.status = item.status
    end
  end
  return obj
end

return job
