-- AppWrapper 1.0 and later, internal/controller/appwrapper/appwrapper_controller.go, Reconcile.
-- Nothing leads out of Failed; before it, Resetting deletes the objects and makes them again.
function InterpretHealth(obj, failover)
  local phase = kube.get(obj, "status.phase", "")
  if phase == "Failed" then
    return params.failedRuns == "healthy" or (params.failedRuns == "failover" and not failover)
  end
  if phase == "Succeeded" or kube.get(obj, "spec.suspend") then
    return true
  end
  -- PodsReady is left as it was while pods have failed, until they are replaced or given up.
  return phase == "Running" and kube.conditionTrue(obj, "PodsReady") and not kube.conditionTrue(obj, "Unhealthy")
end
