-- The fields of a status to keep.

local status = {}

-- Those of JobStatus.
function status.job(obj)
  return kube.pick(obj.status, { "completionTime", "conditions", "lastReconcileTime", "replicaStatuses", "startTime" })
end

return status
