-- All but lastReconciledSpec, which is the spec once more, and changes with it.
function ReflectStatus(obj)
  return kube.pick(obj.status, {
    "abortTimestamp", "blueGreenState", "deploymentReadyTimestamp", "error", "jobStatus",
    "lastReconciledTimestamp", "savepointTriggerId",
  })
end
