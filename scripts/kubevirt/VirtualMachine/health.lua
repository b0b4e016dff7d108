local machine = require("lib.machine")

-- What virt-controller (KubeVirt 1.0 to 1.7) prints of a machine. While it is provisioned,
-- starts, stops, waits or ends nobody can tell, nor where its host does not answer.
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

-- A machine may be stopped unless it is always to run; then it is on its way up, as the
-- status of a new one says as well. Failure says that no instance could be made.
function InterpretHealth(obj)
  local state = kube.get(obj, "status.printableStatus", "")
  if state == "Stopped" and machine.strategy(obj) ~= "Always" then
    return true
  end
  if healthy[state] == nil and kube.get(kube.condition(obj, "Failure"), "status") == "True" then
    return false
  end
  return healthy[state]
end
