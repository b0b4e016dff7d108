function ReflectStatus(obj)
  return kube.pick(obj.status, {
    "applicationState", "driverInfo", "executionAttempts", "executorState",
    "lastSubmissionAttemptTime", "sparkApplicationId", "submissionAttempts", "submissionID",
    "terminationTime",
  })
end
