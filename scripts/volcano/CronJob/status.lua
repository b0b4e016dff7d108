function ReflectStatus(obj)
  return kube.pick(obj.status, { "active", "lastScheduleTime", "lastSuccessfulTime" })
end
