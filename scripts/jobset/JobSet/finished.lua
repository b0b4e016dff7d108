-- The conditions that end a set, Failed after all restarts (JobSet 0.5 and later, jobSetFinished).
function IsFinished(obj)
  return kube.conditionTrue(obj, "Completed") or kube.conditionTrue(obj, "Failed")
end
