-- KubeRay's jobId is the submission id of the job in Ray.
function GetState(obj)
  local id = kube.get(obj, "status.jobId") or kube.get(obj, "spec.jobId", "")
  return id ~= "" and { ["ray.io/job-id"] = id } or nil
end
