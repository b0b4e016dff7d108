-- As the operator has it (KubeRay 1.6, IsJobDeploymentTerminal): it comes to Failed after all
-- retries. From ValidationFailed a job goes on when its spec is mended.
local final = { Complete = true, Failed = true }

-- Reports whether KubeRay does nothing more with a job.
return function(obj)
  return final[kube.get(obj, "status.jobDeploymentStatus", "")] == true
end
