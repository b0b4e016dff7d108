-- The phases of Volcano's finishedState, which no action leads out of (Volcano 1.8 to 1.13).
-- An Aborted job goes on with the command ResumeJob.
local final = { Completed = true, Failed = true, Terminated = true }

function IsFinished(obj)
  return final[kube.get(obj, "status.state.phase", "")] == true
end
