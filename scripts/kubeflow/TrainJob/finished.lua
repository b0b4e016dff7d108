-- The conditions that end a TrainJob (trainer 2.2, TrainJobComplete and TrainJobFailed).
function IsFinished(obj)
  return kube.conditionTrue(obj, "Complete") or kube.conditionTrue(obj, "Failed")
end
