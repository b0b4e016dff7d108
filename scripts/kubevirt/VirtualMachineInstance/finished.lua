-- As virt-controller has it (IsFinal): an instance does not run again.
function IsFinished(obj)
  local phase = kube.get(obj, "status.phase")
  return phase == "Succeeded" or phase == "Failed"
end
