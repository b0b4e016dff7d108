-- The states that the operator has no transition out of, unless the spec changes: it comes to
-- FAILED after all retries (spark-operator 2.0 to 2.4, IsTerminated).
local final = { COMPLETED = true, FAILED = true }

function IsFinished(obj)
  return final[kube.get(obj, "status.applicationState.state", "")] == true
end
