-- The fields of FlinkDeploymentStatus (operator 1.7 to 1.13) that tell about the job.
local kept = {
  "clusterInfo", "error", "jobManagerDeploymentStatus", "jobStatus", "lifecycleState",
  "observedGeneration", "reconciliationStatus", "taskManager",
}

function ReflectStatus(obj)
  local status = {}
  for _, name in ipairs(kept) do
    status[name] = obj.status and obj.status[name]
  end
  return status
end
