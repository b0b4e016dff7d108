-- The identity of the job and, where the status tells one, a snapshot with all its
-- progress. Fields: operator 1.7 to 1.13, status.jobStatus.

-- Of a job that has stopped, upgradeSavepointPath is its last snapshot. Of one that
-- runs it is what the job once began with, and too old.
local stopped = { CANCELED = true, FAILED = true, FINISHED = true, SUSPENDED = true }

-- The operator writes this where the path is in the high-availability data instead.
local noPath = "KUBERNETES_OPERATOR_LAST_STATE"

function GetState(obj)
  local job = kube.get(obj, "status.jobStatus", {})
  if not job.jobId then
    return nil
  end
  local last = kube.get(job, "savepointInfo.lastSavepoint", {})
  local checkpoint = math.max(kube.get(job, "checkpointInfo.lastPeriodicCheckpointTimestamp", 0),
    kube.get(job, "checkpointInfo.lastCheckpoint.timeStamp", 0))
  local path
  if stopped[job.state] then
    path = job.upgradeSavepointPath
  elseif (last.timeStamp or 0) >= checkpoint then
    path = last.location
  end
  if path == noPath then
    path = nil
  end
  return { ["flink.apache.org/job-id"] = job.jobId, ["flink.apache.org/savepoint"] = path }
end
