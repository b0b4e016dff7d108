-- A job is healthy while it is in a phase other than Failed.
function InterpretHealth(obj)
  local phase = kube.get(obj, "status.state.phase", "")
  if phase == "Failed" then
    return params.failedRuns == "healthy"
  end
  return phase ~= ""
end
