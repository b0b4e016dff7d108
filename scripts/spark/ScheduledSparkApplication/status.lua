function ReflectStatus(obj)
  return kube.pick(obj.status, {
    "lastRun", "lastRunName", "nextRun", "pastFailedRunNames", "pastSuccessfulRunNames",
    "reason", "scheduleState",
  })
end
