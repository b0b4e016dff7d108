-- As the controller has it (Argo Workflows 3.4 and later, WorkflowPhase.Completed). A
-- workflow that is suspended is Running.
local final = { Error = true, Failed = true, Succeeded = true }

function IsFinished(obj)
  return final[kube.get(obj, "status.phase", "")] == true
end
