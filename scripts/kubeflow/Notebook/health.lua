local notebook = require("lib.notebook")

-- A notebook is healthy when it is stopped on purpose or its pod is ready. The container
-- state alone is not enough: the controller (1.8 to 1.10) writes an empty one whenever
-- it has not changed. The Ready condition is that of the pod; older controllers have none.
function InterpretHealth(obj)
  if not obj.status then
    return false
  end
  if notebook.pods(obj) == 0 then
    return true
  end
  local state, ready = obj.status.containerState or {}, kube.condition(obj, "Ready")
  if state.waiting or state.terminated or (ready and ready.status == "False") then
    return false
  end
  return (obj.status.readyReplicas or 0) > 0
end
