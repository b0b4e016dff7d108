-- CDI may remove a DataVolume once its claim is made (dataVolumeTTLSeconds).
function IsFinished(obj)
  return kube.get(obj, "status.phase") == "Succeeded"
end
