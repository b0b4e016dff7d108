-- States of v1beta2, spark-operator 2.0 to 2.4. In those that are not named, such as
-- PENDING_RERUN, the health is unknown until the next one.
local healthy = {
  SUBMITTED = true, RUNNING = true, SUCCEEDING = true, COMPLETED = true,
  SUSPENDING = true, SUSPENDED = true, RESUMING = true,
  FAILING = false, SUBMISSION_FAILED = false, UNKNOWN = false,
}

function InterpretHealth(obj)
  local state = kube.get(obj, "status.applicationState.state", "")
  if state == "FAILED" then
    return params.failedRuns == "healthy"
  end
  return healthy[state]
end
