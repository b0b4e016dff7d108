-- As the controller has it (Kruise 1.8, IsJobFinished). A job of the completion policy Never
-- does not end.
function IsFinished(obj)
  return kube.conditionTrue(obj, "Complete") or kube.conditionTrue(obj, "Failed")
end
