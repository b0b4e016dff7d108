function ReflectStatus(obj)
  return kube.pick(obj.status, { "conditions", "jobsStatus", "trainerStatus" })
end
