local phases = { Failed = true, Succeeded = true }

-- A kubelet starts no container of a pod in these phases again (Kubernetes 1.36, PodPhase).
-- One that is meant to run forever, with restartPolicy Always, gets there when it is
-- evicted, for instance, and is wanted again once it is gone.
function IsFinished(obj)
  return kube.get(obj, "spec.restartPolicy", "Always") ~= "Always" and phases[kube.get(obj, "status.phase", "")] == true
end
