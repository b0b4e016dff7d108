-- The phases of virt-controller (KubeVirt 1.0 to 1.7, VirtualMachineInstancePhase). An instance
-- that was shut down from inside has succeeded. Where the host does not answer it is Unknown.
function InterpretHealth(obj)
  local phase = kube.get(obj, "status.phase", "")
  if phase == "" or phase == "Failed" then
    return false
  end
  if phase == "Succeeded" or kube.conditionTrue(obj, "Paused") then
    return true
  end
  if phase ~= "Running" then
    return nil
  end
  local ready = kube.condition(obj, "Ready") or {}
  if ready.status == "False" then
    return false
  end
  return ready.status == "True" or nil
end
