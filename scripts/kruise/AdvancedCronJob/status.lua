function ReflectStatus(obj)
  return kube.pick(obj.status, { "active", "lastScheduleTime", "type" })
end
