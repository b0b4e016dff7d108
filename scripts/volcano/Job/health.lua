local failed = require("lib.failed")

-- A job is healthy while it is in a phase other than Failed. One that was aborted by command is
-- so on purpose.
function InterpretHealth(obj, failover)
  local phase = kube.get(obj, "status.state.phase", "")
  if phase == "Failed" then
    return failed(failover)
  end
  return phase ~= ""
end
