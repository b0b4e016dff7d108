local machine = require("lib.machine")

-- The printable status of virt-controller (KubeVirt 1.0 to 1.7). While a machine is
-- provisioned, starts, stops, waits or ends its health is unknown, also where its host does
-- not answer.
local healthy = {
  Running = true,
  Migrating = true,
  Paused = true,
  CrashLoopBackOff = false,
  ErrorUnschedulable = false,
  ErrImagePull = false,
  ImagePullBackOff = false,
  ErrorPvcNotFound = false,
  DataVolumeError = false,
}

-- A machine may be stopped unless it is always to run; then it is about to start, and a new
-- one has the same status. Failure is True where no instance could be created.
function InterpretHealth(obj)
  local state = kube.get(obj, "status.printableStatus", "")
  local strategy = machine.strategy(obj)
  if state == "" then
    return strategy == "Halted"
  end
  if state == "Stopped" and strategy ~= "Always" then
    return true
  end
  if healthy[state] == nil and kube.conditionTrue(obj, "Failure") then
    return false
  end
  return healthy[state]
end
