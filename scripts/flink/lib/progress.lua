-- How far a job is: read from status.jobStatus, which both kinds share (operator 1.7 to
-- 1.14), and from the job's FlinkStateSnapshots (since 1.10), and written into spec.job.
-- Only paths that the operator has written are state. Flink refuses a directory without the
-- file _metadata, and the directory of a job's checkpoints has none.

local option = require("lib.option")

local progress = {}

-- The operator looks for the last snapshot of a job that has stopped, and writes it into
-- upgradeSavepointPath (SnapshotObserver). Of one that runs it is what the job started from.
local stopped = { CANCELED = true, FAILED = true, FINISHED = true, SUSPENDED = true }

-- The operator writes this where the path is in the high-availability data instead.
local noPath = "KUBERNETES_OPERATOR_LAST_STATE"

-- The path that the operator has of a job that stopped. Where it could not ask Flink, that
-- is still the one from the start: of another job, by the id in the path, of which a savepoint
-- has the first six digits.
local function last(job)
  local path = stopped[job.state] and job.upgradeSavepointPath
  if not path or path == noPath then
    return nil, false
  end
  return path, job.jobId and string.find(path, string.sub(job.jobId, 1, 6), 1, true) ~= nil
end

-- The newest savepoint that is known, from the FlinkStateSnapshots or, of operators up to
-- 1.9 and without these, from the status. One from before the start of a job that starts
-- with nothing is not about that job.
local function newest(obj, job, snapshots)
  local after = 0
  if kube.get(obj, "spec.job.upgradeMode") == "stateless" then
    after = tonumber(job.startTime) or 0
  end
  local best, time = nil, after
  local saved = kube.get(job, "savepointInfo.lastSavepoint", {})
  if saved.location and (saved.timeStamp or 0) >= time then
    best, time = saved.location, saved.timeStamp or 0
  end
  local snapshot = snapshots[1]
  if snapshot and snapshot.time >= time then
    best = snapshot.status.path
  end
  return best
end

-- The identity of the job and a snapshot of it that Flink can start from, where there is one:
-- of a job that has stopped its last one, else its newest savepoint, else the one with which
-- the copy itself was asked to start.
function progress.state(obj, snapshots)
  local job = kube.get(obj, "status.jobStatus", {})
  local path, own = last(job)
  if not own then
    path = newest(obj, job, snapshots) or path or kube.get(obj, "spec.job.initialSavepointPath")
  end
  if not job.jobId and not path then
    return nil
  end
  return { ["flink.apache.org/job-id"] = job.jobId, ["flink.apache.org/savepoint"] = path }
end

-- Whether the job writes both, by the names of the options since Flink 1.20 and before.
local function savesBoth(config)
  return (option(config, "execution.checkpointing.dir") or option(config, "state.checkpoints.dir"))
    and (option(config, "execution.checkpointing.savepoint-dir") or option(config, "state.savepoints.dir"))
end

-- The job resumes from its snapshot. The operator takes the path at the first deployment, in
-- any upgrade mode. A job without a mode would lose its progress at the next upgrade; for the
-- mode savepoint the operator requires both directories.
function progress.restore(desired, state)
  local job, path = kube.get(desired, "spec.job"), state["flink.apache.org/savepoint"]
  if job and path then
    job.initialSavepointPath = path
    job.upgradeMode = job.upgradeMode or savesBoth(desired.spec.flinkConfiguration) and "savepoint" or nil
  end
  return desired
end

-- The path that a failover or an admission policy set is kept, and so is the mode that came
-- with it. The operator reads the path again when savepointRedeployNonce changes.
function progress.retain(desired, observed)
  local path = kube.get(observed, "spec.job.initialSavepointPath")
  local job = path and kube.get(desired, "spec.job")
  if job and not job.initialSavepointPath then
    job.initialSavepointPath = path
    job.upgradeMode = job.upgradeMode or observed.spec.job.upgradeMode
  end
  return desired
end

return progress
