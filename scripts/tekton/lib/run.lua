-- PipelineRun and TaskRun tell how they are by one condition, Succeeded: Unknown while they run.

local run = {}

-- Reasons of a run that its user has ended (PipelineRunReason, TaskRunReason).
local ended = {
  Cancelled = true,
  CancelledRunningFinally = true,
  StoppedRunningFinally = true,
  TaskRunCancelled = true,
}

-- Reports whether the user lets the run wait.
local function waits(obj)
  return kube.get(obj, "spec.status") == "PipelineRunPending"
end

-- A run that has not begun, or whose controller is not there, has no condition.
function run.health(obj, failover)
  local succeeded = kube.condition(obj, "Succeeded")
  if not succeeded then
    return waits(obj)
  end
  if succeeded.status == "False" and not ended[succeeded.reason] then
    return params.failedRuns == "healthy" or (params.failedRuns == "failover" and not failover)
  end
  return true
end

-- As the controller has it (IsDone). A run that is retried is Unknown meanwhile.
function run.finished(obj)
  local succeeded = kube.condition(obj, "Succeeded") or {}
  return succeeded.status == "True" or succeeded.status == "False"
end

-- Not the spec of the run as it was resolved, and not its steps: those of a large pipeline fill
-- much.
function run.reflect(obj)
  return kube.reflectStatus(obj, {
    "completionTime", "conditions", "observedGeneration", "podName", "results", "skippedTasks", "startTime", "taskResults",
  }) or {}
end

-- One condition: the run failed where one cluster failed, runs while one runs, and has
-- succeeded where all have.
local function outcome(items)
  local running
  for _, item in ipairs(items) do
    local each = kube.condition(item, "Succeeded") or { status = "Unknown" }
    if each.status == "False" then
      return kube.orNil(kube.worstConditions({ item }))
    end
    if each.status == "Unknown" then
      running = running or item
    end
  end
  return kube.orNil(kube.worstConditions(running and { running } or items))
end

-- The results of one cluster are those of the run; several have run it several times.
function run.aggregate(obj, items)
  local reports = kube.reported(items)
  if #reports == 0 then
    return obj
  end
  local status = kube.pick(reports[1].status, { "podName", "results", "skippedTasks", "taskResults" })
  status.conditions = outcome(items)
  status.startTime = kube.earliest(items, "startTime")
  local all = true
  for _, item in ipairs(items) do
    all = all and kube.get(item, "status.completionTime") ~= nil
  end
  status.completionTime = all and kube.latest(items, "completionTime") or nil
  obj.status = status
  return obj
end

-- The spec of a run cannot be changed once it has begun, but for spec.status: tkn cancels a run
-- by it in the member, and a queue there lets it begin. The webhook of the member fills in
-- defaults, which it then refuses to change back.
function run.retain(desired, observed)
  local own, there = desired.spec or {}, observed.spec or {}
  local status = own.status
  if there.status ~= nil and there.status ~= "PipelineRunPending" or status == "PipelineRunPending" then
    status = there.status
  end
  desired.spec = kube.merge(there, own)
  desired.spec.status = status
  return desired
end

return run
