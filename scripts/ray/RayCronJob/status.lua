function ReflectStatus(obj)
  return kube.pick(obj.status, { "lastScheduleTime" })
end
