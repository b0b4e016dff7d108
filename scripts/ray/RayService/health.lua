local function holds(obj, type)
  local condition = kube.condition(obj, type)
  return condition and condition.status == "True"
end

-- Since KubeRay 1.3 a condition says that the service is ready; before, its state does.
-- A service that is suspended on purpose has no reason to move.
function InterpretHealth(obj)
  if holds(obj, "Suspended") or holds(obj, "Suspending") then
    return true
  end
  local ready = kube.condition(obj, "Ready")
  if ready then
    return ready.status == "True"
  end
  return kube.get(obj, "status.serviceStatus") == "Running"
end
