-- What the operator (1.7 to 1.14) reports of a job in the status of both kinds, which share
-- CommonStatus and JobStatus of its API.

local job = {}

-- The fields about the job; the first, third and last are of a FlinkDeployment only.
local kept = {
  "clusterInfo", "error", "jobManagerDeploymentStatus", "jobStatus", "lifecycleState",
  "observedGeneration", "reconciliationStatus", "taskManager",
}

-- The generation of the template that the operator has observed. Its own is that of the member's object,
-- which says nothing about the template.
local function observed(obj)
  local seen = kube.get(obj, "status.observedGeneration")
  local template = kube.get(obj, { "metadata", "annotations", "resourcetemplate.karmada.io/generation" })
  template = template and tonumber(template)
  if not seen or not template then
    return seen
  end
  return seen >= kube.get(obj, "metadata.generation", 0) and template or template - 1
end

function job.reflect(obj)
  local status = kube.pick(obj.status, kept)
  status.observedGeneration = observed(obj)
  return status
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
