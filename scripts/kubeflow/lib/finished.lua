-- The end of jobs with the condition Succeeded.

local finished = {}

-- The conditions by which training-operator and mpi-operator know that a job has ended
-- (isFinished). Versions of the mpi-operator start a job again whose pods were evicted.
function finished.job(obj)
  local failed = kube.condition(obj, "Failed") or {}
  return kube.conditionTrue(obj, "Succeeded") or failed.status == "True" and failed.reason ~= "MPIJobEvicted"
end

return finished
