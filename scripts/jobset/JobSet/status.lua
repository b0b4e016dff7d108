function ReflectStatus(obj)
  return kube.reflectStatus(obj, {
    "conditions", "replicatedJobsStatus", "restarts", "restartsCountTowardsMax", "terminalState",
  })
end
