-- Not the nodes: those of a large workflow fill megabytes.
local kept = {
  "conditions", "estimatedDuration", "finishedAt", "message", "phase", "progress", "resourcesDuration", "startedAt",
}

function ReflectStatus(obj)
  return obj.status and kube.pick(obj.status, kept)
end
