-- Not what the operator keeps for itself: hashes, volumes, topology, versions of Secrets.
local kept = {
  "conditions", "currentPrimary", "firstRecoverabilityPoint", "image", "instances", "lastFailedBackup",
  "lastSuccessfulBackup", "phase", "phaseReason", "readService", "readyInstances", "targetPrimary", "timelineID",
  "writeService",
}

function ReflectStatus(obj)
  return kube.reflectStatus(obj, kept) or {}
end
