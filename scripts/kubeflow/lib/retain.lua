-- What belongs to the member cluster.

local fields = require("lib.fields")

local retain = {}

-- A job in a queue of Kueue is started and stopped there. owner is the path of the map
-- that holds suspend. Reports whether the queue has admitted the job.
function retain.queue(desired, observed, owner)
  local suspend = kube.get(observed, kube.concat(owner, { "suspend" }))
  if suspend == nil or not kube.inQueue(desired, observed) then
    return false
  end
  local at = desired
  for _, key in ipairs(owner) do
    at[key] = at[key] or {}
    at = at[key]
  end
  at.suspend = suspend
  return not suspend
end

-- Kueue writes into the templates of a job that it has admitted, and stops the job when other
-- nodes stand there (kubernetes-sigs/kueue, pkg/controller/jobs/kubeflow/kubeflowjob).
local function admitted(desired, observed, field)
  for type, spec in pairs(kube.get(desired, { "spec", field }, {})) do
    local there = kube.get(observed, { "spec", field, type, "template" })
    spec.template = spec.template and kube.retainAdmission(spec.template, there)
  end
end

-- The number of workers, where the operator has an autoscaler for them (a job with
-- elasticPolicy.metrics) or the label of Karmada asks for it.
local function workers(desired, observed, field)
  local worker = kube.get(desired, { "spec", field, "Worker" })
  local replicas = kube.get(observed, { "spec", field, "Worker", "replicas" })
  if worker and replicas and (kube.retainsReplicas(desired) or #kube.get(desired, "spec.elasticPolicy.metrics", {}) > 0) then
    worker.replicas = replicas
  end
end

-- All of it, for a job with replica specs.
function retain.job(desired, observed)
  local field = fields[desired.kind]
  if retain.queue(desired, observed, { "spec", "runPolicy" }) then
    admitted(desired, observed, field)
  end
  workers(desired, observed, field)
  return desired
end

return retain
