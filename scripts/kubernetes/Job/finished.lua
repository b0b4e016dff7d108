-- As the job controller has it (Kubernetes 1.36, controller/job, IsJobFinished). A Job about
-- to end, with SuccessCriteriaMet or FailureTarget, still has pods that end.
function IsFinished(obj)
  return kube.conditionTrue(obj, "Complete") or kube.conditionTrue(obj, "Failed")
end
