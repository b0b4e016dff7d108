-- How far a job is: read from status.jobStatus, which both kinds share (operator 1.7 to
-- 1.14), and written into spec.job.

local option = require("lib.option")

local progress = {}

-- Of a job that has stopped, upgradeSavepointPath is its last snapshot. Of one that
-- runs it is the one that the job started from, and too old.
local stopped = { CANCELED = true, FAILED = true, FINISHED = true, SUSPENDED = true }

-- The operator writes this where the path is in the high-availability data instead.
local noPath = "KUBERNETES_OPERATOR_LAST_STATE"

-- The last snapshot, if no checkpoint is younger: of those the status has no path.
local function snapshot(job)
  if stopped[job.state] then
    return job.upgradeSavepointPath ~= noPath and job.upgradeSavepointPath
  end
  local last = kube.get(job, "savepointInfo.lastSavepoint", {})
  local checkpoint = math.max(kube.get(job, "checkpointInfo.lastPeriodicCheckpointTimestamp", 0),
    kube.get(job, "checkpointInfo.lastCheckpoint.timeStamp", 0))
  return (last.timeStamp or 0) >= checkpoint and last.location
end

-- The identity of the job and, where the status has one, a snapshot with all its progress.
function progress.state(obj)
  local job = kube.get(obj, "status.jobStatus", {})
  if not job.jobId then
    return nil
  end
  return { ["flink.apache.org/job-id"] = job.jobId, ["flink.apache.org/savepoint"] = snapshot(job) or nil }
end

-- Where the job writes, by the names of the options since Flink 1.20 and before.
local function directories(config)
  return option(config, "execution.checkpointing.dir") or option(config, "state.checkpoints.dir"),
    option(config, "execution.checkpointing.savepoint-dir") or option(config, "state.savepoints.dir")
end

-- The job resumes from its savepoint, or else from the checkpoints that it wrote under its
-- id, unless it is stateless. The operator takes the path at the first
-- deployment, in any upgrade mode. A job without a mode would lose its progress at the
-- next upgrade; for the mode savepoint the operator requires both directories.
function progress.restore(desired, state)
  local job, path, id = kube.get(desired, "spec.job"), state["flink.apache.org/savepoint"], state["flink.apache.org/job-id"]
  if not job then
    return desired
  end
  local checkpoints, savepoints = directories(desired.spec.flinkConfiguration)
  if not path and id and checkpoints and job.upgradeMode ~= "stateless" then
    path = string.gsub(checkpoints, "/+$", "") .. "/" .. id
  end
  if path then
    job.initialSavepointPath = path
    job.upgradeMode = job.upgradeMode or checkpoints and savepoints and "savepoint" or nil
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
