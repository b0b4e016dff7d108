local notebook = require("lib.notebook")

-- Why a container waits that does not start by itself. Any other wait is the way to a running
-- container, such as ContainerCreating.
local stuck = {
  CrashLoopBackOff = true, CreateContainerConfigError = true, CreateContainerError = true, ErrImageNeverPull = true,
  ErrImagePull = true, ImagePullBackOff = true, InvalidImageName = true, RunContainerError = true,
}

-- A notebook is healthy when it is stopped on purpose, starts, or runs and its pod is not
-- unready. The state of the container is that of the pod; notebook-controller (1.8 to 1.10,
-- createNotebookStatus) writes an empty one whenever it has not changed, and then the number
-- of ready pods reports. The Ready condition is that of the pod; older controllers have none.
function InterpretHealth(obj)
  if notebook.pods(obj) == 0 then
    return true
  end
  if not obj.status then
    return false
  end
  local state, ready = obj.status.containerState or {}, kube.condition(obj, "Ready")
  if state.waiting then
    return not stuck[state.waiting.reason or ""]
  end
  if state.terminated then
    return (state.terminated.exitCode or 0) == 0 and state.terminated.reason ~= "ContainerCannotRun"
  end
  if ready and ready.status == "False" then
    return false
  end
  return state.running ~= nil or (obj.status.readyReplicas or 0) > 0
end
